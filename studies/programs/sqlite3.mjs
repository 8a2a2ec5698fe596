import { createServer } from 'node:http';
import { promisify } from 'node:util';
import express from 'express';
import sqlite3 from 'sqlite3';
import { serve } from './kit.mjs';
import { QUERY, TABLE } from './sql.mjs';

/** One connection runs one query at a time, so there are several. */
const CONNECTIONS = 8;
const databases = [];
for (let index = 0; index < CONNECTIONS; index++) {
  const database = new sqlite3.Database(':memory:');
  await promisify(database.exec.bind(database))(TABLE);
  databases.push(promisify(database.all.bind(database)));
}
const app = express();
let turn = 0;

app.get('/items/:price', async (request, response) => {
  const all = databases[turn++ % CONNECTIONS];
  response.json(await all(QUERY, Number(request.params.price)));
});

serve(createServer(app));
