/**
 * Holds the scan for secrets against gitleaks on whole histories: each finding is a commit, a path
 * and a secret. Differences that a rule explains are decided from the repository: a secret that the
 * commit did not add, and one of which the commit added only some lines. All others have to be in
 * `EXPLAINED`. Meant for hono, redis and curl at any commit; other repositories work too.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createGit } from '#git'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  repos: { kind: 'text', default: '', help: 'Bare repositories, between commas.' },
  gitleaks: { kind: 'text', default: 'gitleaks', help: 'Its program, version 8.30.' },
} as const satisfies Record<string, Option>

type Finding = {
  readonly commit: string
  readonly path: string
  readonly rule: string
  readonly secret: string
}
type Explanation = {
  /** Of gitleaks. */
  readonly rule: string
  readonly path: RegExp
  readonly reason: string
}

/** What only gitleaks finds. */
const EXPLAINED: readonly Explanation[] = [
  {
    rule: 'generic-api-key',
    path: /^tests\/data\/test\d+$/,
    reason: 'it is in base64, which is not decoded',
  },
]

const MAX_MATCHES = 100_000

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const keyOf = ({ commit, path, secret }: Finding): string => `${commit} ${path} ${secret}`
/** No secret is printed. */
const nameOf = ({ commit, path, rule }: Finding): string => `${commit.slice(0, 10)} ${path} ${rule}`

/** Bytes as Latin-1, as the rules match them. */
async function git(repo: string, ...args: string[]): Promise<string> {
  const result = await Bun.$`git -C ${repo} ${args}`.quiet().nothrow()
  return result.exitCode === 0 ? result.stdout.toString('latin1') : ''
}

async function findWithGitleaks(
  program: string,
  repo: string,
  scratch: string,
): Promise<Finding[]> {
  const report = join(scratch, 'report.json')
  const flags = ['--log-opts=HEAD', '--exit-code=0', '--no-banner', '--report-format=json']
  await Bun.$`${program} git ${repo} ${flags} --report-path=${report}`.quiet()
  type Row = { RuleID: string; Secret: string; File: string; Commit: string }
  const rows = (await Bun.file(report).json()) as Row[]
  return rows.map(({ RuleID: rule, Secret, File: path, Commit: commit }) => ({
    commit,
    path,
    rule,
    secret: Buffer.from(Secret).toString('latin1'),
  }))
}

async function findOurs(repo: string, scratch: string): Promise<Finding[]> {
  const engine = createGit({
    root: dirname(repo),
    tmp: join(scratch, 'tmp'),
    sharedRoot: true,
    workers: 1,
  })
  try {
    const { matches, complete } = await engine.searchAdded(basename(repo), {
      tips: [(await git(repo, 'rev-parse', 'HEAD')).trim()],
      matcher: 'secrets',
      limits: { matches: MAX_MATCHES },
    })
    if (!complete) throw new Error('the search was not complete')
    return matches.map(({ commit, path, rule, text }) => ({
      commit,
      path,
      rule: rule?.id ?? '',
      secret: text,
    }))
  } finally {
    await engine.close()
  }
}

/** Whether a parent has the secret at the path or in a file that the commit removes. */
async function isKnown(repo: string, { commit, path, secret }: Finding): Promise<boolean> {
  const parents = (await git(repo, 'rev-list', '--parents', '-n', '1', commit)).trim().split(' ')
  for (const parent of parents.slice(1)) {
    const diff = ['diff', '--no-renames', '--diff-filter=D', '--name-only', '-z', parent, commit]
    const removed = (await git(repo, ...diff)).split('\0').filter((name) => name !== '')
    for (const name of [path, ...removed])
      if ((await git(repo, 'cat-file', 'blob', `${parent}:${name}`)).includes(secret)) return true
  }
  return false
}

/** Whether a commit adds all lines of a secret together, which is what gitleaks reads. */
async function isAddedWhole(repo: string, { commit, path, secret }: Finding): Promise<boolean> {
  const show = ['show', '-U0', '--format=', '--no-renames', commit, '--', path]
  const added = (await git(repo, ...show))
    .split(/^@@ .*$/m)
    .slice(1)
    .map((hunk) =>
      hunk
        .split('\n')
        .filter((line) => line.startsWith('+'))
        .map((line) => line.slice(1))
        .join('\n'),
    )
  return added.some((text) => text.includes(secret))
}

async function explainMissing(repo: string, finding: Finding): Promise<string | null> {
  const explained = EXPLAINED.find(
    ({ rule, path }) => rule === finding.rule && path.test(finding.path),
  )
  if (explained) return explained.reason
  return (await isKnown(repo, finding)) ? 'the secret was there before' : null
}

const explainMore = async (repo: string, finding: Finding): Promise<string | null> =>
  (await isAddedWhole(repo, finding)) ? null : 'some of its lines were there before'

/** Prints how many differences each reason explains, and each that none does. */
async function report(
  found: readonly Finding[],
  who: string,
  explain: (finding: Finding) => Promise<string | null>,
): Promise<number> {
  const reasons = new Map<string, number>()
  let unexplained = 0
  for (const finding of found) {
    const reason = await explain(finding)
    if (reason === null) {
      unexplained++
      say(`  only ${who}: ${nameOf(finding)}`)
    } else reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  for (const [reason, count] of reasons) say(`  only ${who}: ${count}, because ${reason}`)
  return unexplained
}

async function compare(repo: string, gitleaks: string, scratch: string): Promise<number> {
  const theirs = new Map(
    (await findWithGitleaks(gitleaks, repo, scratch)).map((one) => [keyOf(one), one]),
  )
  const ours = new Map((await findOurs(repo, scratch)).map((one) => [keyOf(one), one]))
  const both = [...ours.keys()].filter((key) => theirs.has(key)).length
  say(`${repo}: ${both} findings of both`)
  const missing = [...theirs].filter(([key]) => !ours.has(key)).map(([, finding]) => finding)
  const more = [...ours].filter(([key]) => !theirs.has(key)).map(([, finding]) => finding)
  const unexplained =
    (await report(missing, 'gitleaks', (finding) => explainMissing(repo, finding))) +
    (await report(more, 'here', (finding) => explainMore(repo, finding)))
  return both === 0 ? unexplained + 1 : unexplained
}

await runScript(
  'bun test/system/secret-peers.ts --repos DIR,DIR,DIR [--gitleaks PROGRAM]',
  OPTIONS,
  async ({ repos, gitleaks }) => {
    if (repos === '') throw new OptionError('--repos is required')
    const scratch = mkdtempSync(join(tmpdir(), 'hearth-secret-peers-'))
    let unexplained = 0
    try {
      for (const repo of repos.split(','))
        unexplained += await compare(resolve(repo), gitleaks, scratch)
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
    say(`${unexplained} differences are not explained`)
    return unexplained === 0 ? 0 : 1
  },
)
