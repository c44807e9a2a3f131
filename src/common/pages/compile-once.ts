import Handlebars, { type TemplateDelegate } from 'handlebars';

const compiled = new Map<string, TemplateDelegate>();

/**
 * Handlebars for one set of compiler options. Each call passes its helpers and partials, so that all renderers share
 * the compiled templates.
 */
export const compileOnce = Object.create(Handlebars, {
  compile: {
    value(source: string, options?: Parameters<typeof Handlebars.compile>[1]): TemplateDelegate {
      const template = compiled.get(source) ?? Handlebars.compile(source, options);
      compiled.set(source, template);
      return template;
    },
  },
}) as typeof Handlebars;
