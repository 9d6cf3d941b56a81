import { getBlame, getFile, type FileRecord, type Repo } from '#features/repos/index.ts'
import { BinaryNote, ButtonGroup, CodeView, FileFrame, ImageView, LinkButton, MarkdownBody, Notice, Pager, RelativeTime } from '../../components/index.ts'
import { highlightBlob } from '../../highlight.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath, commitPath, withQuery } from '../../paths.ts'
import { Away, page, redirect, type Visit } from '../../site.ts'
import { RepoFrame } from '../repos/frame.tsx'
import { locate, PathCrumbs, RefSwitch, refsOf, type CodeView as View, type Refs } from './frame.tsx'

/** Pictures that a browser may show as such; SVG is shown through an `img`, where no script of it can run. */
const IMAGE = /\.(png|jpe?g|gif|webp|avif|ico|bmp|svg)$/i
const MARKDOWN = /\.(md|markdown)$/i

type Data = { repo: Repo; refs: Refs; ref: string; path: string; file: FileRecord; symlink: boolean }

async function loadFile(visit: Visit, view: 'blob' | 'blame') {
  const located = await locate(visit, view)
  if (located instanceof Away) return located
  const { name, repo, at } = located
  if (at.type === 'dir') return redirect(codePath(repo.full_name, 'tree', at.ref, at.path), 302)
  // The commit of another repository: there is nothing of it here to show but its place.
  if (at.type === 'submodule') return redirect(codePath(repo.full_name, 'tree', at.ref, at.path.split('/').slice(0, -1).join('/')), 302)
  const from = Math.max(1, Number(visit.url.searchParams.get('from') ?? '1') || 1)
  const [refs, file] = await Promise.all([
    refsOf(visit, name),
    visit.call(getFile, { repo: name, ref: at.sha ?? at.ref, path: at.path, ...(from > 1 ? { from_line: from } : {}) }),
  ])
  return { repo, refs, ref: at.ref, path: at.path, file, symlink: at.type === 'symlink', view }
}

const Frame = ({ data, visit, view, children }: { data: Data; visit: Visit; view: View; children?: Child }) => {
  const { repo, refs, ref, path } = data
  return (
    <RepoFrame visit={visit} repo={repo} title={path} current="code" width="wide">
      <h1 class="unseen">{path}</h1>
      <div class="code-bar">
        <RefSwitch repo={repo} refs={refs} current={ref} view={view} path={path} />
        <PathCrumbs repo={repo} current={ref} path={path} />
      </div>
      {children}
    </RepoFrame>
  )
}

const Actions = ({ data, view }: { data: Data; view: View }) => {
  const { repo, ref, path } = data
  return (
    <ButtonGroup label="Views of this file">
      <LinkButton href={codePath(repo.full_name, 'blob', ref, path)} small current={view === 'blob'}>Code</LinkButton>
      <LinkButton href={codePath(repo.full_name, 'blame', ref, path)} small current={view === 'blame'}>Blame</LinkButton>
      <LinkButton href={codePath(repo.full_name, 'commits', ref, path)} small>History</LinkButton>
      <LinkButton href={codePath(repo.full_name, 'raw', ref, path)} small>Raw</LinkButton>
    </ButtonGroup>
  )
}

/** One long file is shown in parts. */
const Parts = ({ data, here }: { data: Data; here: string }) => {
  const { file } = data
  const from = file.from_line ?? 1
  return (
    <Pager
      label="Lines" newer={from > 1 ? here : null}
      older={file.truncated && file.lines !== null && file.to_line !== null && file.to_line < file.lines ? withQuery(here, { from: file.to_line + 1 }) : null}
    />
  )
}

export const blobPage = page({
  path: '/:workspace/:repo/blob/*rest',
  load: (visit) => loadFile(visit, 'blob'),
  view: (data, visit) => {
    const { repo, ref, path, file } = data
    const raw = codePath(repo.full_name, 'raw', ref, path)
    const here = codePath(repo.full_name, 'blob', ref, path)
    const svg = /\.svg$/i.test(path) && !file.binary && !data.symlink
    const twoFaced = !data.symlink && !file.binary && !file.truncated && (svg || MARKDOWN.test(path))
    const rendered = twoFaced && visit.url.searchParams.get('plain') !== '1'
    const picture = IMAGE.test(path) && !data.symlink && (file.binary || (svg && (rendered || !twoFaced)))
    return (
      <Frame data={data} visit={visit} view="blob">
        <>
          <FileFrame
            name={path.split('/').at(-1)} lines={file.lines ?? undefined} bytes={file.size}
            facts={file.lfs ? 'Large file, stored apart' : data.symlink ? 'Symbolic link' : undefined}
            actions={
              <>
                {twoFaced && <LinkButton href={rendered ? withQuery(here, { plain: 1 }) : here} small>{rendered ? 'Source' : 'Rendered'}</LinkButton>}
                <Actions data={data} view="blob" />
              </>
            }
          >
            {picture ? (
              <ImageView src={raw} alt={path} />
            ) : file.binary || file.encoding === 'base64' ? (
              <BinaryNote bytes={file.size} href={raw} />
            ) : file.size === 0 ? (
              <Notice>This file is empty.</Notice>
            ) : rendered ? (
              <MarkdownBody
                text={file.content}
                options={{
                  link: { siteUrl: visit.hearth.settings.site_url, repo: repo.full_name },
                  base: { repo: repo.full_name, ref, dir: path.split('/').slice(0, -1).join('/') },
                }}
              />
            ) : (
              <CodeView lines={highlightBlob({ oid: `${file.sha}:${file.from_line ?? 1}`, path, text: file.content })} from={file.from_line ?? 1} label={path} />
            )}
          </FileFrame>
          <Parts data={data} here={here} />
        </>
      </Frame>
    )
  },
})

export const blamePage = page({
  path: '/:workspace/:repo/blame/*rest',
  load: async (visit) => {
    const data = await loadFile(visit, 'blame')
    if (data === null || !('file' in data)) return data
    if (data.file.binary || data.file.encoding === 'base64' || !data.file.from_line || !data.file.to_line) return { ...data, ranges: [] }
    const ranges = await visit.call(getBlame, { repo: data.repo.full_name, ref: data.file.commit_sha, path: data.path, from_line: data.file.from_line, to_line: data.file.to_line })
    return { ...data, ranges }
  },
  view: (data, visit) => {
    const { repo, ref, path, file, ranges } = data
    return (
      <Frame data={data} visit={visit} view="blame">
        <>
          <FileFrame name={path.split('/').at(-1)} lines={file.lines ?? undefined} bytes={file.size} actions={<Actions data={data} view="blame" />}>
            {file.binary || file.encoding === 'base64' ? (
              <BinaryNote bytes={file.size} href={codePath(repo.full_name, 'raw', ref, path)} />
            ) : file.content === '' ? (
              <Notice>This file is empty.</Notice>
            ) : (
              <CodeView
                lines={highlightBlob({ oid: `${file.sha}:${file.from_line ?? 1}`, path, text: file.content })} from={file.from_line ?? 1} label={path}
                blame={ranges.map((range) => ({
                  from_line: range.from_line,
                  to_line: range.to_line,
                  mark: (
                    <>
                      <a href={commitPath(repo.full_name, range.commit.sha)} title={`${range.commit.title}, by ${range.commit.author.name}`}>{range.commit.title}</a>{' '}
                      <RelativeTime at={range.commit.date} />
                    </>
                  ),
                }))}
              />
            )}
          </FileFrame>
          <Parts data={data} here={codePath(repo.full_name, 'blame', ref, path)} />
        </>
      </Frame>
    )
  },
})
