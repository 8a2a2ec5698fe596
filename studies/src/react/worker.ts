import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { Greeting, Lorem } from './components.js';

/** A page of HTML; synchronous, as rendering is. */
export default function render({ name }: { readonly name: string }): string {
  return `<!doctype html>
<html>
<body>
${renderToString(createElement(Greeting, { name }))}
${renderToString(createElement(Lorem))}
</body>
</html>`;
}
