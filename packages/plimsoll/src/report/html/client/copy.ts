const SHOWN_MS = 2000;

/** Buttons `data-copy="ID"` copy the text of the element with that id. */
export function copyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const target = document.getElementById(button.dataset.copy ?? '');
    if (target === null) continue;
    button.hidden = false;
    button.ariaLive = 'polite';
    const label = button.textContent;
    button.addEventListener('click', () => {
      void copy(target.textContent.trim(), button).then((isCopied) => {
        button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C to copy';
        setTimeout(() => {
          button.textContent = label;
        }, SHOWN_MS);
      });
    });
  }
}

/** By the clipboard where the browser gives one; else by the old command, and else the text is selected for the user to copy. */
async function copy(text: string, button: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text, button);
  }
}

function copySelected(text: string, button: HTMLElement): boolean {
  const area = document.createElement('textarea');
  area.className = 'copy';
  area.ariaLabel = 'text to copy';
  area.value = text;
  button.after(area);
  area.select();
  const isCopied = document.execCommand('copy');
  if (isCopied) {
    area.remove();
    button.focus();
  } else {
    area.addEventListener('blur', () => area.remove());
  }
  return isCopied;
}
