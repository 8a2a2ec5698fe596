import { scrypt } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import Koa from 'koa';
import session from 'koa-session';
import { serve } from './kit.mjs';

const derive = promisify(scrypt);
const app = new Koa();
app.keys = ['only for a study'];

app.use(session(app));
app.use(async (context) => {
  context.session.views = (context.session.views ?? 0) + 1;
  const key = await derive('correct horse', 'battery staple', 32, { N: 4096 });
  context.body = { views: context.session.views, key: key.toString('hex') };
});

serve(createServer(app.callback()));
