// Shows PDF documents in a frame, where the browser has a viewer for them. Other browsers would save
// the file instead, as they would one that only has the name of a PDF. The frame has no sandbox,
// because no viewer starts in one; the response says that the file is a PDF and nothing else, and the
// viewer keeps it apart from the page.
import { createElement } from './dom.ts'

async function showDocument(part: HTMLElement): Promise<void> {
  const src = part.dataset.document ?? ''
  const { headers } = await fetch(src, { method: 'HEAD' })
  if (!headers.get('content-type')?.startsWith('application/pdf')) return
  part.append(
    createElement('iframe', { class: 'document-frame', src, title: 'Document', loading: 'lazy' }),
  )
}

if (navigator.pdfViewerEnabled)
  // Without an answer the link stays.
  for (const part of document.querySelectorAll<HTMLElement>('[data-document]'))
    void showDocument(part).catch(() => {})
