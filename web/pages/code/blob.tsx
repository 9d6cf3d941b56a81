import { CodeView, FileFrame, LineForm, LinkButton } from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath, repoPath, withQuery } from '../../paths.ts'
import { DirectResponse, page, redirect } from '../../site.ts'
import { renderFile, describeMissingSource } from './renderings.tsx'
import { FileActions, FileFacts, FilePage, partLinks, totalLines } from './file-frame.tsx'
import { loadFile, type FileData } from './file-load.ts'
import { LINE_BYTES, partOf } from './file-parts.ts'
import { rich, t, tn } from '../../text.ts'

/** How long the page waits for the highlighting when the reader asked to wait. */
const LONG_MS = 10_000

/** The target of a symbolic link in the repository. Null outside of it. */
function targetOf({ path, text }: FileData): string | null {
  const target = text?.text.trim() ?? ''
  if (target === '' || target.startsWith('/')) return null
  const parts = path.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return parts.length === 0 ? null : parts.join('/')
}

/** The address of the same page that waits. */
const laterHref = ({ pathname, searchParams }: URL): string =>
  withQuery(pathname, { ...Object.fromEntries(searchParams), wait: 1 })

/** Where the content of a file of Git LFS is, and who has locked it. */
function lfsNotice({ repo, large }: FileData, { oid, size }: { oid: string; size: number }): Child {
  if (!large?.isStored)
    return rich(
      'The content ({size}) is not here; this is the pointer to it, {oid}. Whoever has the file can run {command}.',
      {
        size: bytesText(size),
        oid: <code>{oid.slice(0, 12)}</code>,
        command: <code>git lfs push --all</code>,
      },
    )
  return large.lockedBy === null
    ? rich('Stored with Git LFS ({size}). {link}', {
        size: bytesText(size),
        link: <a href={repoPath(repo.full_name, '/locks')}>{t('Locks')}</a>,
      })
    : rich('Stored with Git LFS ({size}), locked by {name}. {link}', {
        size: bytesText(size),
        name: large.lockedBy,
        link: <a href={repoPath(repo.full_name, '/locks')}>{t('Locks')}</a>,
      })
}

export const blobPage = page({
  path: '/:workspace/:repo/blob/*rest',
  load: async (visit) => {
    // As READMEs written for GitHub embed their pictures.
    if (['true', '1'].includes(visit.url.searchParams.get('raw') ?? ''))
      return redirect(visit.url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, '$1/raw/'), 302)
    const query = visit.url.searchParams
    // The form that goes to a line without the browser script.
    const line = Number(query.get('line') ?? '')
    if (Number.isSafeInteger(line) && line > 0)
      return redirect(`${withQuery(visit.url.pathname, { from: line })}#L${line}`, 302)
    const data = await loadFile(visit, 'blob')
    if (data instanceof DirectResponse) return data
    const face = renderFile(data, visit)
    // Lines are those of the source.
    const asSource = query.get('plain') === '1' || query.has('from')
    const rendered = face !== null && (!face.source || !asSource)
    const { file, path, text } = data
    const body = rendered ? await face.body() : null
    if (rendered || text === null || file.size === 0)
      return { ...data, face, rendered, body, part: null, late: false }
    const first = file.from_line ?? 1
    const source = await visit.markdown.sourceFile(
      { oid: `${file.sha}:${first}`, path, text: text.text },
      query.get('wait') === '1' ? LONG_MS : undefined,
    )
    const part = partOf({ text: text.text, first }, source, data.line, () => LINE_BYTES)
    return { ...data, face, rendered, body, part, late: source.late }
  },
  view: ({ face, rendered, body, part, late, ...data }, visit) => {
    const { repo, ref, path, file, symlink } = data
    const here = codePath(repo.full_name, 'blob', ref, path)
    const target = symlink ? targetOf(data) : null
    const notice = file.lfs
      ? lfsNotice(data, file.lfs)
      : target !== null
        ? rich('Leads to {a}.', {
            a: (
              <a href={codePath(repo.full_name, 'blob', ref, target)}>
                <code>{target}</code>
              </a>
            ),
          })
        : file.binary && file.truncated && data.text !== null
          ? rich('The first {bytesText} are shown.', { bytesText: bytesText(1024 * 1024) })
          : file.lines === null && part !== null
            ? tn('The first {count} line is shown.', 'The first {count} lines are shown.', part.end)
            : undefined
    return (
      <FilePage data={data} visit={visit} view="blob">
        <FileFrame
          id="file"
          later={late ? laterHref(visit.url) : undefined}
          name={path.split('/').at(-1)}
          lines={file.lines ?? undefined}
          isRendered={rendered && face?.source}
          bytes={file.size}
          facts={<FileFacts data={data} more={face?.facts && <span>{face.facts}</span>} />}
          notice={notice}
          parts={part && partLinks(file, part, here)}
          actions={
            <>
              {face?.source && (
                <LinkButton href={rendered ? withQuery(here, { plain: 1 }) : here} small>
                  {rendered ? t('Source') : t('Rendered')}
                </LinkButton>
              )}
              {part !== null && <LineForm action={visit.url.pathname} />}
              <FileActions data={data} view="blob" part={part} visit={visit} />
            </>
          }
        >
          {rendered
            ? body
            : (describeMissingSource(data) ?? (
                <CodeView
                  lines={part?.lines ?? []}
                  from={part?.from}
                  total={part ? totalLines(file, part) : undefined}
                  label={path}
                />
              ))}
        </FileFrame>
      </FilePage>
    )
  },
})
