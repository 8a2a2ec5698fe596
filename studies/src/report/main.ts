// `npm run report`: one HTML page of everything in docs/results, commands' results and studies'.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { benchSchema, type ReportDocument, reportPage, timelineSchema } from '@plimsoll/lab';
import { type StudyDocument, studyReport } from './study-report.js';

const RESULTS = 'docs/results';
const PAGE = 'report.html';

function documentsOf(file: string): ReportDocument[] {
  const bytes = readFileSync(join(RESULTS, file));
  const content: unknown = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
  const documents = (Array.isArray(content) ? content : [content]) as StudyDocument[];
  return documents.map((document): ReportDocument => {
    if (document.kind === 'bench') return { type: 'bench', document: benchSchema.parse(document) };
    if (document.kind === 'timeline') return { type: 'timeline', document: timelineSchema.parse(document) };
    return { type: 'foreign', document, report: studyReport };
  });
}

const files = readdirSync(RESULTS).filter((name) => /\.json(\.gz)?$/.test(name));
writeFileSync(PAGE, reportPage(files.flatMap(documentsOf), 'plimsoll: everything that was measured'));
console.log(`report: ${PAGE}`);
