// @ts-nocheck: its imports are there only while the picture is taken.
import { createTheme, getDisplayProcessor, ThemeContext, toDataFrame } from '@grafana/data';
import { GlobalStyles, PanelChrome, TimeSeries } from '@grafana/ui';
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
      {
        name: 'Value',
        type: 'number',
        values: values.map(([, value]) => (value === 'NaN' ? null : Number(value))),
        config,
      },
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
  return element(PanelChrome, { key: title, title, description, width, height }, (inside, tall) =>
    element(TimeSeries, {
      ...{ frames, timeRange, timeZone: 'utc', theme, width: inside, height: tall },
      legend: { showLegend: true, calcs: [], ...options.legend },
    }),
  );
}

const toMoment = (time) => Object.assign(new Date(time), { valueOf: () => time });

Object.assign(document.body.style, { margin: 0, background: theme.colors.background.canvas });
const style = { display: 'grid', gap: GAP, padding: GAP, gridTemplateColumns: `repeat(${columns}, 1fr)` };
const grid = element('div', { style }, panels.map(panelOf));
createRoot(document.body.appendChild(document.createElement('div'))).render(
  element(ThemeContext.Provider, { value: theme }, element(GlobalStyles), grid),
);
