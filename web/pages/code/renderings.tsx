// Renderings of files other than source: documents, notebooks, tables, images.
import { BinaryNote, DocumentLink, ImageView, Notice } from '../../components/index.ts'
import { parseNotebook } from '#lib/notebook.ts'
import { bytesText } from '../../format.ts'
import type { Child } from '../../jsx/html.ts'
import { MARKDOWN_FILE } from '../../markdown/addresses.ts'
import { codePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { IMAGE } from './changed-images.ts'
import { readTable, separatorOf } from './csv.ts'
import type { FileData } from './file-load.ts'
import { imageSize } from './image-size.ts'
import { NotebookView } from './notebook.tsx'
import { documentMarkdown } from './readme.tsx'
import { TableView } from './table-view.tsx'
import { LongTextBody, loadLongHtml, loadLongText } from '../writing/long-text.tsx'
import { t } from '../../text.ts'

/** A rendering. `source` says whether the source can be shown too. */
export type FileRendering = {
  readonly source: boolean
  readonly facts?: string
  readonly body: () => Child | Promise<Child>
}

/** A file of Git LFS: pictures are shown, other files are downloads. The source is the pointer. */
const renderLargeFile = (path: string, raw: string, bytes: number): FileRendering => ({
  source: true,
  body: () =>
    IMAGE.test(path) ? (
      <ImageView src={raw} alt={path} size={null} />
    ) : (
      <BinaryNote bytes={bytes} href={raw} />
    ),
})

function renderNotebook(
  visit: Visit,
  { repo, ref, path }: FileData,
  text: string,
): FileRendering | null {
  const notebook = parseNotebook(text)
  if (notebook === null) return null
  const dir = path.split('/').slice(0, -1).join('/')
  const view = () => (
    <NotebookView
      notebook={notebook}
      rawHref={codePath(repo.full_name, 'raw', ref, path)}
      options={documentMarkdown(visit, { repo: repo.full_name, ref, dir })}
    />
  )
  return {
    source: true,
    body: async () => <LongTextBody visit={visit} text={await loadLongHtml(visit, view())} />,
  }
}

/** Null for files that only have their source. */
export function renderFile(data: FileData, visit: Visit): FileRendering | null {
  const { repo, ref, path, file, text, symlink } = data
  if (symlink) return null
  const name = repo.full_name
  const raw = codePath(name, 'raw', ref, path)
  if (file.lfs) return data.large?.isStored ? renderLargeFile(path, raw, file.lfs.size) : null
  const dir = path.split('/').slice(0, -1).join('/')
  if (IMAGE.test(path) && (file.binary || text === null || /\.svg$/i.test(path))) {
    const size = imageSize(
      file.encoding === 'base64'
        ? new Uint8Array(Buffer.from(file.content, 'base64'))
        : new TextEncoder().encode(file.content),
    )
    return {
      source: !file.binary && text !== null,
      facts: size ? `${size.width} × ${size.height}` : undefined,
      body: () => <ImageView src={raw} alt={path} size={size} />,
    }
  }
  if (/\.pdf$/i.test(path) && text === null)
    return { source: false, body: () => <DocumentLink href={raw} facts={bytesText(file.size)} /> }
  if (text === null || file.size === 0 || file.truncated) return null
  if (MARKDOWN_FILE.test(path))
    return {
      source: true,
      body: async () => (
        <LongTextBody
          visit={visit}
          text={
            await loadLongText(visit, text.text, documentMarkdown(visit, { repo: name, ref, dir }))
          }
        />
      ),
    }
  if (/\.ipynb$/i.test(path)) return renderNotebook(visit, data, text.text)
  if (/\.(csv|tsv)$/i.test(path)) {
    const table = readTable(text.text, separatorOf(path, text.text))
    return table && { source: true, body: () => <TableView visit={visit} table={table} /> }
  }
  return null
}

/** Describes a file without source to show. Null when it has source. */
export function describeMissingSource({ repo, ref, path, file, text }: FileData): Child {
  if (text === null)
    return <BinaryNote bytes={file.size} href={codePath(repo.full_name, 'raw', ref, path)} />
  return file.size === 0 ? <Notice>{t('This file is empty.')}</Notice> : null
}
