// `npm run report`: one HTML page of everything in docs/results, commands' results and studies'.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Foreign, reportPage } from '@plimsoll/lab';
import { benchSchema, timelineSchema } from '@plimsoll/lab/schemas';
import { type StudyDocument, studyReport } from './study-report.js';

const RESULTS = 'docs/results';
const PAGE = 'report.html';

function documentsOf(file: string): Parameters<typeof reportPage>[0] {
  const bytes = readFileSync(join(RESULTS, file));
  const content: unknown = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
  const documents = (Array.isArray(content) ? content : [content]) as StudyDocument[];
  return documents.map((document) => {
    if (document.kind === 'bench') return benchSchema.parse(document);
    if (document.kind === 'timeline') return timelineSchema.parse(document);
    return { document, report: studyReport } satisfies Foreign;
  });
}

const files = readdirSync(RESULTS).filter((name) => /\.json(\.gz)?$/.test(name));
writeFileSync(PAGE, reportPage(files.flatMap(documentsOf), 'plimsoll: everything that was measured'));
console.log(`report: ${PAGE}`);
