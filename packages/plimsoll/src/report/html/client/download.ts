/** `<a data-download>` saves the data of the page, under the name in its `download`. */
export function download(): void {
  const data = document.getElementById('data');
  if (data === null) return;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-download]')) {
    link.href = URL.createObjectURL(new Blob([data.textContent.trim()], { type: 'application/json' }));
    link.hidden = false;
  }
}
