const program = `
const SVGFixer = require('oslllo-svg-fixer');
(async () => {
  await SVGFixer('icons', 'out', { showProgressBar: false, traceResolution: 200 }).fix();
  console.log('done');
})();
`;

/** @param {number} index */
const icon = (index) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="${3 + index}" fill="none" stroke="#000"/></svg>\n`;

export default {
  what: 'traces the strokes of eight icons',
  packages: { 'oslllo-svg-fixer': '6.0.1' },
  files: {
    'main.cjs': program,
    'out/.keep': '',
    ...Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`icons/${index}.svg`, icon(index)])),
  },
  command: ['main.cjs'],
  produces: ['out'],
};
