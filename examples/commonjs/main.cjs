const { join } = require('node:path');
const { Pool } = require('@plimsoll/pool');

async function main() {
  const pool = new Pool({ filename: join(__dirname, 'worker.cjs') });
  const sorted = await pool.run([30, 4, 12, 7, 25], { name: 'sort' });
  console.log('sorted:', sorted.join(' '));
  console.log('median:', await pool.run(sorted, { name: 'median' }));
  await pool.close();
}

void main();
