#!/usr/bin/env node
import { workerCommand } from '../dist/node/index.js';

await workerCommand(process.argv.slice(2));
