import { createElement as h } from 'react';
import { renderToString } from 'react-dom/server';

const Page = ({ number }) =>
  h('main', null, h('h1', null, `Page ${number}`), h('ul', null, Array.from({ length: 1_000 }, item)));
const item = (_, index) => h('li', { key: index }, `Item ${index}`);

/** A page of HTML, and the process that has rendered it. */
export const render = (number) => ({ html: renderToString(h(Page, { number })), pid: process.pid });
