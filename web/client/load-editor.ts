// Loads the code editor for a textarea that names its script. Without it, and until then, the
// textarea is the editor.
const area = document.querySelector<HTMLTextAreaElement>('textarea[data-editor]')
const address = area?.dataset.editor
if (area && address) {
  const path = area.form?.querySelector<HTMLInputElement>('input[name=path]') ?? null
  void import(address).then(({ openEditor }: typeof import('./editor/editor.ts')) =>
    openEditor(area, path),
  )
}
