import { getBlame } from '#features/repos/index.ts'
import { BinaryNote, CodeView, FileFrame, Icon, RelativeTime } from '../../components/index.ts'
import { highlightFile } from '../../highlight.ts'
import { codePath, commitPath, pullPath } from '../../paths.ts'
import { Away, page } from '../../site.ts'
import { noSource } from './faces.tsx'
import { FileActions, FileFacts, FilePage, FileParts } from './file-frame.tsx'
import { loadFile } from './file-load.ts'

export const blamePage = page({
  path: '/:workspace/:repo/blame/*rest',
  load: async (visit) => {
    const data = await loadFile(visit, 'blame')
    if (data instanceof Away) return data
    const { file, path, repo, text } = data
    const { from_line, to_line } = file
    if (text === null || !from_line || !to_line) return { ...data, ranges: [], source: null }
    const [ranges, source] = await Promise.all([
      visit.call(getBlame, { repo: repo.full_name, ref: file.commit_sha, path, from_line, to_line }),
      highlightFile({ oid: `${file.sha}:${from_line}`, path, text: text.text }),
    ])
    return { ...data, ranges, source }
  },
  view: ({ ranges, source, ...data }, visit) => {
    const { repo, ref, path, file } = data
    const home = repo.full_name.split('/').slice(0, 2).join('/')
    return (
      <FilePage data={data} visit={visit} view="blame">
        <>
          <FileFrame name={path.split('/').at(-1)} lines={file.lines ?? undefined} bytes={file.size} facts={<FileFacts data={data} />} actions={<FileActions data={data} view="blame" visit={visit} />}>
            {source === null ? (
              (file.size === 0 ? noSource(data) : <BinaryNote bytes={file.size} href={codePath(repo.full_name, 'raw', ref, path)} />)
            ) : (
              <CodeView
                lines={source.lines} from={file.from_line ?? 1} label={path}
                blame={ranges.map((range) => ({
                  from_line: range.from_line,
                  to_line: range.to_line,
                  mark: (
                    <>
                      <a href={commitPath(repo.full_name, range.commit.sha)} title={`${range.commit.title}, by ${range.commit.author.name}`}>{range.commit.title}</a>{' '}
                      {range.pull !== null && <a class="muted" href={pullPath(home, range.pull)}>#{range.pull}</a>}
                      {range.session && range.pull !== null && <> <a class="muted" href={pullPath(home, range.pull, 'session')} aria-label={`How an agent made #${range.pull}`}><Icon name="agent" size={14} /></a></>}{' '}
                      <RelativeTime at={range.commit.date} />
                    </>
                  ),
                }))}
              />
            )}
          </FileFrame>
          <FileParts data={data} here={codePath(repo.full_name, 'blame', ref, path)} />
        </>
      </FilePage>
    )
  },
})
