// @ts-nocheck: its imports are there only while the picture is taken.
import { createTheme, getDisplayProcessor, ThemeContext, toDataFrame } from '@grafana/data';
import { GlobalStyles, PanelChrome, PanelContextProvider, TimeSeries } from '@grafana/ui';
import { createElement as element } from 'react';
import { createRoot } from 'react-dom/client';

const { panels, from, to } = window.DASHBOARD;
const mode = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
const theme = createTheme({ colors: { mode } });
const [GAP, ROW] = [8, 30];
const columns = innerWidth < 600 ? 1 : 2;
const width = (innerWidth - GAP * (columns + 1)) / columns;

/** A column of values as a Grafana data source hands it over, with the panel's own settings. */
function frameOf({ legend, values }, { defaults }) {
  const config = { ...defaults, color: { mode: 'palette-classic' }, displayNameFromDS: legend };
  const frame = toDataFrame({
    fields: [
      { name: 'Time', type: 'time', values: values.map(([time]) => time * 1000) },
      { name: 'Value', type: 'number', values: values.map(([, value]) => Number(value)), config },
    ],
  });
  for (const field of frame.fields) field.display = getDisplayProcessor({ field, theme });
  return frame;
}

function panelOf({ title, description, gridPos, fieldConfig, options, series }) {
  const frames = series.map((one) => frameOf(one, fieldConfig));
  for (const [index, { fields }] of frames.entries()) fields[1].state = { seriesIndex: index };
  const height = gridPos.h * ROW;
  const timeRange = { from: toMoment(from), to: toMoment(to), raw: { from: 'now-1h', to: 'now' } };
  return element(PanelChrome, { key: title, title, description, width, height }, (innerWidth, innerHeight) =>
    element(TimeSeries, {
      ...{ frames, timeRange, timeZone: 'utc', theme, width: innerWidth, height: innerHeight },
      legend: { showLegend: true, calcs: [], ...options.legend },
    }),
  );
}

const toMoment = (time) => Object.assign(new Date(time), { valueOf: () => time });

document.body.style.background = theme.colors.background.canvas;
const grid = { display: 'grid', gap: GAP, padding: GAP, gridTemplateColumns: `repeat(${columns}, 1fr)` };
createRoot(document.body.appendChild(document.createElement('div'))).render(
  element(
    ThemeContext.Provider,
    { value: theme },
    element(GlobalStyles),
    element(PanelContextProvider, { value: { eventsScope: 'page', eventBus: { subscribe() {}, publish() {}, getStream: () => ({ subscribe: () => ({ unsubscribe() {} }), pipe() { return this; } }), newScopedBus() { return this; } } } }, element('div', { style: grid }, panels.map(panelOf))),
  ),
);
