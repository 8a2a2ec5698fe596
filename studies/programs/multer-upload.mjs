import { unlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import express from 'express';
import multer from 'multer';
import { scratch, serve } from './kit.mjs';

const app = express();
const upload = multer({ dest: scratch });

app.post('/upload', upload.single('file'), async (request, response) => {
  await unlink(request.file.path);
  response.json({ size: request.file.size });
});

serve(createServer(app));
