import { createServer } from 'node:http';
import Database from 'better-sqlite3';
import express from 'express';
import { serve } from './kit.mjs';
import { QUERY, TABLE } from './sql.mjs';

const database = new Database(':memory:');
database.exec(TABLE);
const query = database.prepare(QUERY);
const app = express();

app.get('/items/:price', (request, response) => {
  response.json(query.all(Number(request.params.price)));
});

serve(createServer(app));
