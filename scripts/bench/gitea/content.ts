/** Fills both forges with the same repository, issues, comments and pull requests. */
import { git } from '../../support/git.ts'
import { commitOn, COMMENTS, ISSUES, PULLS, type Content } from './rows.ts'
import { REPO, type Side } from './sides.ts'

/** Files, folders and commits of this many are visited in turn. */
const VISITED = 200
/** Files that both show with line numbers and colours. */
const SOURCE_FILE = /\.(ts|tsx|js|c|h|go|rs|py|md|json)$/
const MAX_FILE_BYTES = 60_000

async function fill(side: Side, bare: string): Promise<number[]> {
  const path = `/repos/${REPO}`
  await side.create('peer')
  await git(bare, 'push', '-q', side.remote('peer'), 'refs/heads/main')
  for (let n = 1; n <= ISSUES; n++)
    await side.api('POST', `${path}/issues`, {
      title: `The handle of door ${n} squeaks`,
      body: `It began after \`open(${n})\`.\n\n- [ ] oil it\n- [ ] try **again**\n`,
    })
  for (let n = 1; n <= COMMENTS; n++)
    await side.api('POST', `${path}/issues/1/comments`, {
      body: `Comment ${n}: I saw it too, in \`src/door.ts\`, see #${(n % 20) + 2}.`,
    })
  const pulls: number[] = []
  for (let n = 0; n < PULLS; n++) {
    const branch = `work-${n}`
    const commit = await commitOn(bare, 5000 + n)
    await git(bare, 'push', '-q', side.remote('peer'), `${commit}:refs/heads/${branch}`)
    pulls.push(await side.openPull(branch, `Change ${n}`))
  }
  return pulls
}

/** `bare` is a repository with a branch `main` of at least 40 commits. */
export async function fillBoth(
  sides: readonly [Side, Side],
  bare: string,
  scratch: string,
): Promise<Content> {
  const listed = (await git(bare, 'ls-tree', '-r', '-l', 'main')).split('\n')
  const files = listed
    .map((line) => /^\d+ blob \S+ +(\d+)\t([\w./-]+)$/.exec(line))
    .filter((found) => found && SOURCE_FILE.test(found[2] ?? ''))
    .filter((found) => Number(found?.[1]) <= MAX_FILE_BYTES)
    .map((found) => found?.[2] ?? '')
    .slice(0, VISITED)
  const folders = [...new Set(files.map((file) => file.replace(/\/?[^/]+$/, '')))].filter(Boolean)
  const listedCommits = await git(bare, 'rev-list', '--no-merges', `-n${VISITED}`, 'main')
  const commits = listedCommits.trim().split('\n')
  const head = (await git(bare, 'rev-parse', 'main')).trim()
  const base = (await git(bare, 'rev-parse', 'main~20')).trim()
  const [first, second] = sides
  const pulls = {
    [first.name]: await fill(first, bare),
    [second.name]: await fill(second, bare),
  } as Record<Side['name'], number[]>
  return { files, folders, commits, range: [base, head], pulls, bare, scratch }
}
