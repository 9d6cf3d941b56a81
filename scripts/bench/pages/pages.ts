/** Which pages are measured: the same question asked of both, for several things each. */
import { git } from '../../support/git.ts'

/** Paths of one page on the forge (below the repository) and on cgit. */
export type Target = { readonly forge: string; readonly cgit: string }
export type PageKind = { readonly name: string; readonly targets: readonly Target[] }

const path = (text: string): string => text.split('/').map(encodeURIComponent).join('/')

/**
 * Chooses from a repository's own history: its busiest files and folders, its latest commits and
 * tags.
 */
export async function choosePages(
  repository: string,
  branch: string,
  targets: number,
): Promise<PageKind[]> {
  const lines = async (...args: string[]) =>
    (await git(repository, '-c', 'core.quotePath=off', ...args))
      .split('\n')
      .filter((line) => line !== '')
  const counts = new Map<string, number>()
  for (const name of await lines('log', '-3000', '--no-merges', '--name-only', '--format=', branch))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  const here = new Map(
    (await lines('ls-tree', '-r', '-l', branch)).flatMap((line) => {
      const [, size, name] = /^100\d+ blob [0-9a-f]+\s+(\d+)\t(.+)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, Number(size)] as const]
    }),
  )
  const busy = [...counts]
    .filter(([name]) => (here.get(name) ?? 0) > 2000 && (here.get(name) ?? 0) < 300_000)
    .sort((a, b) => b[1] - a[1])
    .map(([name]) => name)
  const files = busy
    .filter((name) => /\.(c|h|ts|js|go|rs|py|java|rb|sh|pl)$/.test(name))
    .slice(0, targets)
  const folders = [
    ...new Set(
      busy.flatMap((name) => (name.includes('/') ? [name.split('/').slice(0, -1).join('/')] : [])),
    ),
  ].slice(0, targets)
  const commits = (await lines('log', '--no-merges', '--format=%H', `-${targets}`, branch)).slice(
    0,
    targets,
  )
  const older = await lines(
    'log',
    '--no-merges',
    '--format=%H',
    '--skip=200',
    `-${targets}`,
    branch,
  )
  const on = encodeURIComponent(branch)
  // Words that stand in the latest titles and in the names of busy files: both have something to
  // find.
  const words = [
    ...new Set(
      (await lines('log', '--no-merges', '--format=%s', '-400', branch)).flatMap(
        (title) => title.match(/[A-Za-z_]{6,}/g) ?? [],
      ),
    ),
  ].slice(0, targets)
  return [
    {
      name: 'tree',
      targets: ['', ...folders].map((folder) => ({
        forge: folder === '' ? '' : `/tree/${on}/${path(folder)}`,
        cgit: `/tree/${path(folder)}?h=${on}`,
      })),
    },
    {
      name: 'file',
      targets: files.map((file) => ({
        forge: `/blob/${on}/${path(file)}`,
        cgit: `/tree/${path(file)}?h=${on}`,
      })),
    },
    {
      name: 'blame',
      targets: files.map((file) => ({
        forge: `/blame/${on}/${path(file)}?wait=1`,
        cgit: `/blame/${path(file)}?h=${on}`,
      })),
    },
    {
      name: 'log',
      targets: Array.from({ length: targets }, (_, at) => ({
        forge: `/commits/${on}?page=${at * 7 + 1}`,
        cgit: `/log/?h=${on}&ofs=${at * 7 * 30}`,
      })),
    },
    {
      name: 'log of a file',
      targets: files.map((file) => ({
        forge: `/commits/${on}/${path(file)}`,
        cgit: `/log/${path(file)}?h=${on}`,
      })),
    },
    {
      name: 'commit (diff)',
      targets: commits.map((sha) => ({ forge: `/commit/${sha}`, cgit: `/commit/?id=${sha}` })),
    },
    {
      name: 'compare',
      targets: commits.map((sha, at) => ({
        forge: `/compare/${older[at]}..${sha}`,
        cgit: `/diff/?id=${sha}&id2=${older[at]}`,
      })),
    },
    {
      name: 'search',
      targets: words.map((word) => ({
        forge: `/search?type=code&q=${word}`,
        cgit: `/log/?h=${on}&qt=grep&q=${word}`,
      })),
    },
  ]
}
