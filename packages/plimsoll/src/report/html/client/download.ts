/** `<a data-download>` saves the documents of the page, which it carries packed, under the name in its `download`. */
export function download(): void {
  const data = document.getElementById('data');
  if (data === null || typeof DecompressionStream === 'undefined') return;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-download]')) {
    link.hidden = false;
    link.href = '#';
    link.addEventListener('click', (event) => {
      if (link.href.startsWith('blob:')) return;
      event.preventDefault();
      void unpacked(data.textContent).then((blob) => {
        link.href = URL.createObjectURL(blob);
        link.click();
      });
    });
  }
}

async function unpacked(base64: string): Promise<Blob> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Blob([await new Response(stream).arrayBuffer()], { type: 'application/json' });
}
