import { SCRIPT } from './client/script.js';

/**
 * The script of the page: sorts tables (`<table data-sortable>`), copies (`<button data-copy="ID" hidden>`), saves the data
 * (`<a data-download hidden>`, of `#data`) and zooms timelines (`data-timeline`). It may stand in a `<script>` as it is.
 */
export const PAGE_SCRIPT: string = SCRIPT;
