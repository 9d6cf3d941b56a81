/** Fills a Gitea with one repository that has everything an import takes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Api, GiteaPeer } from '../../../scripts/support/gitea.ts'

export type Seeded = { readonly url: string; readonly token: string; readonly api: Api }

const git = (cwd: string, ...args: string[]): string => {
  const { stdout, stderr, exitCode } = Bun.spawnSync(['git', ...args], {
    cwd,
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
    },
  })
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.toString().trim()
}

function commit(work: string, name: string, text: string, message: string): string {
  mkdirSync(join(work, name, '..'), { recursive: true })
  writeFileSync(join(work, name), text)
  git(work, 'add', '-A')
  git(work, 'commit', '-qm', message)
  return git(work, 'rev-parse', 'HEAD')
}

const lines = (count: number, mark = ''): string =>
  Array.from({ length: count }, (_, n) => `line ${n + 1}${mark}\n`).join('')

async function pushCode(work: string, remote: string): Promise<void> {
  mkdirSync(work, { recursive: true })
  git(work, 'init', '-q', '-b', 'trunk')
  git(work, 'lfs', 'install', '--local')
  git(work, 'lfs', 'track', '*.bin')
  writeFileSync(join(work, 'big.bin'), crypto.getRandomValues(new Uint8Array(60_000)))
  commit(work, 'README.md', '# Lighthouse\n', 'Begin')
  commit(work, 'src/lamp.txt', lines(40), 'Add the lamp')
  git(work, 'tag', '-a', 'v1.0.0', '-m', 'First')
  git(work, 'remote', 'add', 'origin', remote)
  git(work, 'push', '-q', '--all', 'origin')
  git(work, 'push', '-q', '--tags', 'origin')
}

/** Pushes a branch with one commit on top of the trunk. */
function pushBranch(work: string, branch: string, file: string, text: string, to = 'origin'): void {
  git(work, 'checkout', '-q', '-B', branch, 'trunk')
  commit(work, file, text, `Change ${file}`)
  git(work, 'push', '-q', '-f', to, branch)
  git(work, 'checkout', '-q', 'trunk')
}

async function addIssues(ada: Api, bob: Api, eve: Api, path: string, count: number): Promise<void> {
  const label = async (name: string, color: string, description: string) =>
    (await ada<{ id: number }>('POST', `${path}/labels`, { name, color, description })).id
  const labels = [
    await label('defect', '#ee0701', 'It does not work'),
    await label('kind/idea', '#00aabb', ''),
    await label('bug', '#abcdef', 'The same name as a label here'),
  ]
  const open = await ada<{ id: number }>('POST', `${path}/milestones`, {
    title: 'Next',
    description: 'What comes next',
    due_on: '2027-03-01T00:00:00Z',
  })
  const past = await ada<{ id: number }>('POST', `${path}/milestones`, { title: 'Past' })
  await ada('PATCH', `${path}/milestones/${past.id}`, { state: 'closed' })
  for (let n = 1; n <= count; n++) {
    const by = n % 3 === 0 ? eve : n % 2 === 0 ? bob : ada
    const { number } = await by<{ number: number }>('POST', `${path}/issues`, {
      title: `Lamp ${n} flickers`,
      body: n === 5 ? '' : `At night, see #${Math.max(1, n - 1)}.\n\n- [ ] check ${n} @bob`,
    })
    await ada('PUT', `${path}/issues/${number}/labels`, { labels: labels.slice(0, n % 4) })
    await ada('PATCH', `${path}/issues/${number}`, {
      milestone: n % 5 === 0 ? past.id : n % 2 === 0 ? open.id : 0,
      assignees: n % 4 === 0 ? ['bob'] : [],
      ...(n % 3 === 0 ? { state: 'closed' } : {}),
    })
  }
}

async function addComments(ada: Api, bob: Api, eve: Api, path: string, n: number): Promise<void> {
  const say = (by: Api, number: number, body: string) =>
    by<{ id: number }>('POST', `${path}/issues/${number}/comments`, { body })
  const first = await say(bob, 1, 'I saw it as well :+1:')
  await say(eve, 1, 'Zeilen\n\n```js\nlet a = 1\n```')
  await bob('POST', `${path}/issues/comments/${first.id}/reactions`, { content: '+1' })
  await ada('POST', `${path}/issues/comments/${first.id}/reactions`, { content: 'heart' })
  for (let k = 0; k < n; k++) await say(k % 2 ? ada : eve, 2, `Remark ${k}`)
  await ada('PUT', `${path}/issues/2/lock`, { lock_reason: 'Resolved' }).catch(() => null)
}

/** What happens to issues, and files below their texts. */
async function addHistory(ada: Api, bob: Api, eve: Api, path: string): Promise<void> {
  await bob('POST', `${path}/issues/1/reactions`, { content: 'rocket' })
  await eve('POST', `${path}/issues/1/reactions`, { content: '+1' })
  await ada('POST', `${path}/issues/4/reactions`, { content: 'eyes' })
  await ada('PATCH', `${path}/issues/1`, { title: 'Lamp 1 flickers at night' })
  await ada('PATCH', `${path}/issues/1`, { state: 'closed' })
  await bob('PATCH', `${path}/issues/1`, { state: 'open' })
  await ada('PATCH', `${path}/issues/1`, { assignees: ['bob'] })
  await ada('PATCH', `${path}/issues/1`, { assignees: [] })
  const attach = async (to: string, name: string, text: string): Promise<string> => {
    const form = new FormData()
    form.set('attachment', new Blob([text]), name)
    return (await ada<{ uuid: string }>('POST', `${path}/${to}/assets?name=${name}`, form)).uuid
  }
  const uuid = await attach('issues/4', 'night.png', `\x89PNG\r\n\x1a\n${'x'.repeat(5000)}`)
  await ada('PATCH', `${path}/issues/4`, { body: `See ![night](/attachments/${uuid}) there.` })
  await attach('issues/4', 'log.txt', 'nobody names this file\n')
  const said = await ada<{ id: number }>('POST', `${path}/issues/4/comments`, { body: 'A file.' })
  await attach(`issues/comments/${said.id}`, 'trace.zip', 'PK\x03\x04 and more')
}

async function addPulls(
  peer: GiteaPeer,
  work: string,
  apis: Api[],
  path: string,
  eveToken: string,
) {
  const [ada, bob, eve] = apis as [Api, Api, Api]
  const open = (by: Api, head: string, title: string) =>
    by<{ number: number }>('POST', `${path}/pulls`, {
      head,
      base: 'trunk',
      title,
      body: `Why ${title}`,
    })
  pushBranch(work, 'merge-me', 'a.txt', lines(3))
  const merged = await open(ada, 'merge-me', 'Merge me')
  pushBranch(work, 'squash-me', 'b.txt', lines(4))
  const squashed = await open(ada, 'squash-me', 'Squash me')
  pushBranch(work, 'review-me', 'src/lamp.txt', lines(40).replace('line 20\n', 'line twenty\n'))
  const reviewed = await open(ada, 'review-me', 'Review me')
  pushBranch(work, 'refuse-me', 'd.txt', lines(2))
  const refused = await open(bob, 'refuse-me', 'Refuse me').catch(() =>
    open(ada, 'refuse-me', 'Refuse me'),
  )
  pushBranch(work, 'draft-me', 'e.txt', lines(2))
  await open(ada, 'draft-me', 'WIP: Draft me')
  const [, name = ''] = /^\/repos\/[^/]+\/([^/]+)/.exec(path) ?? []
  await eve('POST', `${path}/forks`, {})
  const fork = `${peer.url.replace('://', `://eve:${eveToken}@`)}/eve/${name}.git`
  pushBranch(work, 'from-fork', 'f.txt', lines(5), fork)
  await open(eve, 'eve:from-fork', 'From a fork')
  pushBranch(work, 'gone-fork', 'g.txt', lines(5), fork)
  const gone = await open(eve, 'eve:gone-fork', 'Branch of the fork is gone')
  await ada('PATCH', `${path}/pulls/${gone.number}`, { state: 'closed' })
  git(work, 'push', '-q', fork, ':gone-fork')
  await review(ada, bob, eve, path, reviewed.number)
  await merge(ada, path, merged.number, 'merge')
  await merge(ada, path, squashed.number, 'squash')
  await ada('PATCH', `${path}/pulls/${refused.number}`, { state: 'closed' })
  git(work, 'push', '-q', 'origin', ':refuse-me', ':merge-me')
}

async function merge(ada: Api, path: string, number: number, how: string): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      await ada('POST', `${path}/pulls/${number}/merge`, {
        Do: how,
        MergeTitleField: `${how} #${number}`,
      })
      return
    } catch (error) {
      // Gitea checks in the background whether a pull request can be merged.
      if (tries > 60 || !String(error).includes('405')) throw error
      await Bun.sleep(250)
    }
}

async function review(ada: Api, bob: Api, eve: Api, path: string, number: number): Promise<void> {
  await bob('POST', `${path}/pulls/${number}/reviews`, {
    event: 'REQUEST_CHANGES',
    body: 'Not like this',
    comments: [
      { path: 'src/lamp.txt', body: 'Why a word?', new_position: 20, old_position: 0 },
      { path: 'src/lamp.txt', body: 'It was a number', new_position: 0, old_position: 20 },
    ],
  })
  await eve('POST', `${path}/pulls/${number}/reviews`, { event: 'COMMENT', body: 'Hm' })
  await bob('POST', `${path}/pulls/${number}/reviews`, { event: 'APPROVED', body: '' })
  await ada('POST', `${path}/issues/${number}/comments`, { body: 'Thanks to both' })
}

async function addReleases(ada: Api, path: string): Promise<void> {
  const { id } = await ada<{ id: number }>('POST', `${path}/releases`, {
    tag_name: 'v1.0.0',
    name: 'First light',
    body: 'It *shines*',
    target_commitish: 'trunk',
  })
  const form = new FormData()
  form.set('attachment', new Blob([lines(1000)], { type: 'text/plain' }), 'lamp.txt')
  await ada('POST', `${path}/releases/${id}/assets?name=lamp.txt`, form)
  await ada('POST', `${path}/releases`, {
    tag_name: 'v2.0.0-rc1',
    name: '',
    body: '',
    target_commitish: 'trunk',
    prerelease: true,
  })
  await ada('POST', `${path}/releases`, {
    tag_name: 'v3.0.0',
    name: 'Later',
    body: 'A draft',
    target_commitish: 'trunk',
    draft: true,
  })
}

async function addWiki(ada: Api, path: string): Promise<void> {
  await ada('POST', `${path}/wiki/new`, {
    title: 'Home',
    content_base64: Buffer.from('# The lamp\n').toString('base64'),
    message: 'Begin',
  })
  await ada('POST', `${path}/wiki/new`, {
    title: 'Night watch',
    content_base64: Buffer.from('Every hour.\n').toString('base64'),
  })
}

/** `issues` is how many issues it gets, `comments` how many one of them has. */
export async function seedGitea(
  peer: GiteaPeer,
  scratch: string,
  { issues = 12, comments = 60, name = 'lighthouse' } = {},
): Promise<Seeded> {
  const tokens = {
    ada: peer.addUser('ada', true),
    bob: peer.addUser('bob'),
    eve: peer.addUser('eve'),
  }
  const ada = peer.api(tokens.ada)
  const bob = peer.api(tokens.bob)
  const eve = peer.api(tokens.eve)
  await ada('POST', '/user/repos', { name, private: false, description: 'A lamp by the sea' })
  const path = `/repos/ada/${name}`
  await ada('PUT', `${path}/collaborators/bob`, { permission: 'write' })
  const work = join(scratch, 'work')
  await pushCode(work, `${peer.url.replace('://', `://ada:${tokens.ada}@`)}/ada/${name}.git`)
  await ada('PATCH', path, { default_branch: 'trunk' })
  await addIssues(ada, bob, eve, path, issues)
  await addComments(ada, bob, eve, path, comments)
  await addHistory(ada, bob, eve, path)
  await addPulls(peer, work, [ada, bob, eve], path, tokens.eve)
  await addReleases(ada, path)
  await addWiki(ada, path)
  return { url: `${peer.url}/ada/${name}`, token: tokens.ada, api: ada }
}
