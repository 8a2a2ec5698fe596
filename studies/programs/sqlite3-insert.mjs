import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import sqlite3 from 'sqlite3';
import { scratch, serve } from './kit.mjs';

/** One database writes one transaction at a time, so there are several, as in a service with a file for each tenant. */
const TENANTS = 16;
const tenants = [];
for (let index = 0; index < TENANTS; index++) {
  const database = new sqlite3.Database(join(scratch, `${index}.db`));
  await promisify(database.exec.bind(database))('CREATE TABLE event (id INTEGER PRIMARY KEY, what TEXT)');
  tenants.push(promisify(database.run.bind(database)));
}
const app = express();
let turn = 0;

app.post('/events', async (_request, response) => {
  await tenants[turn++ % TENANTS]('INSERT INTO event (what) VALUES (?)', 'opened');
  response.status(201).end();
});

serve(createServer(app));
