import Handlebars, { type TemplateDelegate } from 'handlebars';

const compiled = new Map<string, TemplateDelegate>();

/** Handlebars for one set of compiler options. Helpers and partials come with each call, so all renderers share them. */
export const compileOnce = Object.create(Handlebars, {
  compile: {
    value(source: string, options?: Parameters<typeof Handlebars.compile>[1]): TemplateDelegate {
      const template = compiled.get(source) ?? Handlebars.compile(source, options);
      compiled.set(source, template);
      return template;
    },
  },
}) as typeof Handlebars;
