const program = `
const { transform, prettyPrint, toJson } = require('camaro');
const items = (count) => Array.from({ length: count }, (_, id) => '<item id="' + id + '"><name>nämé ' + id + '</name></item>');
const xml = (count) => '<root><items>' + items(count).join('') + '</items></root>';
const template = { all: ['//item', { id: 'number(@id)', name: 'upper-case(name)' }], count: 'count(//item)' };
(async () => {
  const results = await Promise.all(Array.from({ length: 30 }, (_, count) => transform(xml(count * 20), template)));
  console.log(JSON.stringify(results));
  console.log(await transform(Buffer.from(xml(3)), template));
  console.log(await prettyPrint(xml(2), { indentSize: 2 }));
  console.log(await transform('<broken', template).catch((error) => error.message));
})();
`;

export default {
  what: 'reads 32 XML documents, one of which is broken, and prints one anew (WebAssembly, transferred buffers)',
  packages: { camaro: '6.3.2' },
  files: { 'main.cjs': program },
  command: ['main.cjs'],
};
