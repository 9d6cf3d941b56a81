import { encodePath } from '#lib/percent-encoding.ts'
import { findBlame, getCommit, type Repo } from '#features/repos/index.ts'
import {
  BinaryNote,
  CodeView,
  FileFrame,
  Icon,
  RelativeTime,
  type BlameMark,
} from '../../components/index.ts'
import type { FileLines } from '../../highlight/highlighter.ts'
import type { Html } from '../../jsx/html.ts'
import { codePath, commitPath, pullPath, repoPath, withQuery } from '../../paths.ts'
import {
  DirectResponse,
  page,
  redirect,
  redirectWithFlash,
  type OutputOf,
  type Resource,
  type Visit,
} from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { describeMissingSource } from './renderings.tsx'
import { FileActions, FileFacts, FilePage, partLinks, totalLines } from './file-frame.tsx'
import { loadFile, type FileData } from './file-load.ts'
import { BLAMED_LINE_BYTES, partOf, type FilePart } from './file-parts.ts'
import { byteLinesOf, toTextLines } from './utf16-lines.ts'
import { rich, t } from '../../text.ts'

/** How long the page waits for the blame, and how long when the reader asked to wait. */
const SHORT_MS = 150
const LONG_MS = 25_000

/** The blame of the lines that are shown, or that it is still computed. */
async function linesOf(visit: Visit, { file, path, repo, text }: FileData, wait_ms: number) {
  const asked = { repo: repo.full_name, ref: file.commit_sha, path, wait_ms }
  // The engine knows only lines in bytes, which differ in UTF-16.
  if (text !== null && file.binary) {
    const { items, late } = await visit.call(findBlame, asked)
    return {
      items: toTextLines(
        items,
        byteLinesOf(new Uint8Array(Buffer.from(file.content, 'base64')), text.encoding ?? ''),
      ),
      late,
    }
  }
  const { from_line, to_line, lines } = file
  if (text === null || !from_line || !to_line) return null
  // A whole file is cached, a part of a long one is not.
  return visit.call(
    findBlame,
    from_line === 1 && to_line === lines ? asked : { ...asked, from_line, to_line },
  )
}

type BlameRange = OutputOf<typeof findBlame>['items'][number]

const RangeMark = ({
  repo,
  home,
  range: { commit, pull, session, path },
}: {
  repo: Repo
  home: string
  range: BlameRange
}): Html => (
  <div>
    <a
      href={commitPath(repo.full_name, commit.sha)}
      title={t('{title}, by {name}', { title: commit.title, name: commit.author.name })}
    >
      <b>{commit.author.actor?.username ?? commit.author.name}</b> <span>{commit.title}</span>
    </a>
    {pull !== null && <a href={pullPath(home, pull)}>#{pull}</a>}
    {session && pull !== null && (
      <a href={pullPath(home, pull, 'session')} aria-label={t('Session of #{pull}', { pull })}>
        <Icon name="agent" size={14} />
      </a>
    )}
    <RelativeTime at={commit.date} />
    <a
      class="blame-before"
      href={blameBeforePath(repo.full_name, commit.sha, path)}
      rel="nofollow"
      title={t('Blame before {sha}', { sha: commit.sha.slice(0, 7) })}
      aria-label={t('Blame before {sha}', { sha: commit.sha.slice(0, 7) })}
    >
      ↶
    </a>
  </div>
)

/** The lines of a part, with the marks beside them. */
type BlamedPart = FilePart & { readonly marks: readonly BlameMark[] }

/** The part with the line that is asked for; what is beside its lines counts as well. */
function blamedPart(
  { repo, file, line }: FileData,
  ranges: readonly BlameRange[],
  source: FileLines,
  text: string,
): BlamedPart {
  const home = repo.full_name.split('/').slice(0, 2).join('/')
  const marks = new Map<BlameRange, Html>()
  const markOf = (range: BlameRange): Html => {
    const known = marks.get(range)
    if (known) return known
    const mark = <RangeMark repo={repo} home={home} range={range} />
    marks.set(range, mark)
    return mark
  }
  let at = 0
  const part = partOf({ text, first: file.from_line ?? 1 }, source, line, (number, isFirst) => {
    while (at < ranges.length - 1 && (ranges[at]?.to_line ?? 0) < number) at++
    const range = ranges[at]
    const isMarked = range && (isFirst || range.from_line === number)
    return BLAMED_LINE_BYTES + (isMarked ? Buffer.byteLength(markOf(range).toString()) : 0)
  })
  return {
    ...part,
    marks: ranges
      .filter(({ from_line, to_line }) => to_line >= part.from && from_line <= part.to)
      .map((range) => ({ ...range, mark: markOf(range) })),
  }
}

const blameBeforePath = (repo: string, sha: string, path: string): string =>
  repoPath(repo, `/blame-before/${sha}/${encodePath(path)}`)

/** Redirects to the blame of a file as it was before a commit, also under its former name. */
export const blameBefore: Resource = {
  path: '/:workspace/:repo/blame-before/:sha/*path',
  async respond(visit) {
    const repo = repoOf(visit)
    const path = visit.params.path ?? ''
    const { sha, parents, files } = await visit.call(getCommit, {
      repo,
      ref: visit.params.sha ?? '',
      patch: false,
    })
    const [parent] = parents
    const change = files.find((file) => file.path === path)
    const isFirst = parent === undefined || change?.status === 'added'
    if (isFirst) return redirectWithFlash(visit, commitPath(repo, sha), 'file-created').response
    return redirect(codePath(repo, 'blame', parent, change?.old_path ?? path), 302).response
  },
}

export const blamePage = page({
  path: '/:workspace/:repo/blame/*rest',
  load: async (visit) => {
    const data = await loadFile(visit, 'blame')
    if (data instanceof DirectResponse) return data
    const { file, path, text } = data
    const patient = visit.url.searchParams.get('wait') === '1'
    const [found, source] = await Promise.all([
      linesOf(visit, data, patient ? LONG_MS : SHORT_MS),
      text === null || file.size === 0
        ? null
        : visit.markdown.sourceFile(
            { oid: `${file.sha}:${file.from_line ?? 1}`, path, text: text.text },
            patient ? LONG_MS : undefined,
          ),
    ])
    return {
      ...data,
      late: found?.late ?? false,
      isSourceLate: source?.late ?? false,
      part: found && source && text && blamedPart(data, found.items, source, text.text),
    }
  },
  view: ({ late, isSourceLate, part, ...data }, visit) => {
    const { repo, ref, path, file } = data
    const here = codePath(repo.full_name, 'blame', ref, path)
    const later =
      late || isSourceLate
        ? withQuery(visit.url.pathname, { ...Object.fromEntries(visit.url.searchParams), wait: 1 })
        : undefined
    return (
      <FilePage data={data} visit={visit} view="blame">
        <FileFrame
          id="file"
          later={later}
          name={path.split('/').at(-1)}
          lines={file.lines ?? undefined}
          bytes={file.size}
          facts={<FileFacts data={data} />}
          parts={part && partLinks(file, part, here)}
          actions={<FileActions data={data} view="blame" part={part} visit={visit} />}
          notice={
            late
              ? rich('Computing the blame. <a>Load it</a>', {
                  a: (inner) => (
                    <a href={later} rel="nofollow">
                      {inner}
                    </a>
                  ),
                })
              : undefined
          }
        >
          {part === null ? (
            file.size === 0 ? (
              describeMissingSource(data)
            ) : (
              <BinaryNote bytes={file.size} href={codePath(repo.full_name, 'raw', ref, path)} />
            )
          ) : (
            <CodeView
              lines={part.lines}
              from={part.from}
              total={totalLines(file, part)}
              label={path}
              blame={part.marks}
            />
          )}
        </FileFrame>
      </FilePage>
    )
  },
})
