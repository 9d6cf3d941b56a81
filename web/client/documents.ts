// Shows PDF documents in a frame, where the browser has a viewer for them. Other browsers would save
// the file instead. The frame has no sandbox, because no viewer starts in one; the response says that
// the file is a PDF and nothing else, and the viewer keeps it apart from the page.
import { createElement } from './dom.ts'

if (navigator.pdfViewerEnabled)
  for (const part of document.querySelectorAll<HTMLElement>('[data-document]'))
    part.append(
      createElement('iframe', {
        class: 'document-frame',
        src: part.dataset.document ?? '',
        title: 'Document',
        loading: 'lazy',
      }),
    )
