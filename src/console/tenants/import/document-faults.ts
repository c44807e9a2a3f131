import type { FormError } from '../../../common/pages/form-error.js';
import { InvalidInput, type FaultType, type InputFault } from '../../../common/validation/invalid-input.js';
import { FORMAT_VERSION, TENANT_FORMAT } from '../../../transfer/formats/document.js';
import { formErrors } from '../../frame/lists/form-input.js';

/** The field of the form that contained the document. */
export type DocumentField = 'file' | 'document';

/**
 * Faults in an imported document, as errors of its field: a sentence for each fault, with its JSON path. The usual form
 * errors address a user who fills in fields, but a document was written elsewhere.
 */
export function documentErrors(error: unknown, field: DocumentField): FormError[] {
  const messages =
    error instanceof SyntaxError
      ? [notJson(error, field)]
      : error instanceof InvalidInput
        ? error.faults.map(documentFault)
        : formErrors(error).map(({ message }) => message);
  return messages.map((message) => ({ field, message }));
}

/** With the place and the reason that the parser reports. */
function notJson({ message }: SyntaxError, field: DocumentField): string {
  const remedy = field === 'file' ? 'Choose the exported file.' : 'Paste the whole exported file, or upload it.';
  return `This is not valid JSON: ${message.replace(/ is not valid JSON$/, '')}. ${remedy}`;
}

function documentFault({ loc, msg, type }: InputFault): string {
  const path = pathOf(loc.slice(1));
  const known = KNOWN[path] ?? predicateOf(msg) ?? PREDICATES[type];
  return known ? `${path || 'The document'} ${known}.` : `${path || 'The document'}: ${msg}.`;
}

/** `apps[0].users[2].email` */
function pathOf(parts: InputFault['loc']): string {
  return parts
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(parts.length && 1);
}

/** Values that identify this kind of document. */
const KNOWN: Readonly<Record<string, string>> = {
  format: `must be “${TENANT_FORMAT}”`,
  version: `must be ${FORMAT_VERSION}`,
};

const PREDICATES: Partial<Readonly<Record<FaultType, string>>> = {
  missing: 'is missing',
  string_type: 'must be a text',
  string_too_long: 'is too long',
  string_pattern_mismatch: 'has the wrong format',
  uuid_parsing: 'must be an ID',
  int_type: 'must be a whole number',
  bool_type: 'must be true or false',
  list_type: 'must be a list',
  dict_type: 'must be an object',
  enum: 'has a value that is not allowed',
};

/** The API's message, if it is more specific than the type. */
function predicateOf(msg: string): string | null {
  if (msg === 'value is not a valid email address') return 'must be an e-mail address';
  if (msg.startsWith('Role is not ')) return 'must be in available_roles of the app';
  const bound = /^\S+ must not be (less|greater) than (-?\d+)$/.exec(msg);
  if (bound) return `must be ${bound[2]} or ${bound[1] === 'less' ? 'more' : 'less'}`;
  const length = /^(?:String|List) should have (.*)$/.exec(msg);
  return length && `must have ${length[1]}`;
}
