/**
 * Puts every attempt of the corpus wherever a stranger can write: through REST and git, as one
 * would. Gives the addresses to look at.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { codePath, commitPath } from '#web/paths.ts'
import { runGit, withToken } from '../../../scripts/support/git.ts'
import { attacks } from '../../web/markdown/attacks.ts'
import { fileNames, files, lines, log, refs } from './corpus.ts'

const REPO = 'wild/west'

export type Seeded = {
  readonly pages: readonly string[]
  /** Addresses that answer a file or a feed, not a page. */
  readonly resources: readonly string[]
  /** How many attempts were taken in; the others were refused with a clear error. */
  readonly taken: number
  readonly refused: number
  /** The page of checks, whose commands print the attempts. */
  readonly checks: string
}

type Answer = Record<string, unknown>

export async function seed(url: string, token: string): Promise<Seeded> {
  let taken = 0
  let refused = 0
  const ask = async (method: string, path: string, body?: unknown): Promise<Answer | null> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    if (response.ok) taken++
    else refused++
    return response.ok ? (text === '' ? {} : (JSON.parse(text) as Answer)) : null
  }
  const need = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await ask(method, path, body)
    if (!answer) throw new Error(`${method} ${path} was refused`)
    return answer
  }
  const line = (index: number): string => lines[index % lines.length] ?? ''
  const repo = `/repos/${REPO}`

  await need('POST', '/workspaces', { slug: 'wild', name: line(0), description: line(1) })
  await need('POST', '/repos', {
    workspace: 'wild',
    name: 'west',
    description: lines.slice(0, 6).join(' '),
    private: false,
  })
  for (const part of ['name', 'bio', 'company', 'location', 'pronouns', 'website'])
    await ask('PATCH', '/user', { [part]: line(2).slice(0, 40) })
  for (const website of ['javascript:window.hit=1', 'https://evil.test/"onmouseover="window.hit=1'])
    await ask('PATCH', repo, { website })
  await ask('PATCH', repo, { topics: ['<script>', 'fine'] })

  // The repository itself.
  const work = mkdtempSync(join(tmpdir(), 'hearth-wild-'))
  const git = async (...args: string[]): Promise<boolean> => {
    const { status } = await runGit(work, args)
    if (status === 0) taken++
    else refused++
    return status === 0
  }
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), text)
  }
  await git('init', '-q', '-b', 'main')
  for (const [path, text] of Object.entries(files)) write(path, text)
  for (const name of fileNames) write(join('names', name), `${name}\n`)
  symlinkSync('"><img src=x onerror=window.hit=1>', join(work, 'names', 'link'))
  await git('add', '-A')
  await git('update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},vendor/x`)
  await git('update-index', '--add', '--cacheinfo', `160000,${'b'.repeat(40)},vendor/y`)
  const people = [
    '" onmouseover="window.hit=1',
    "&lt;img src=x onerror=window.hit=1&gt;'",
    'javascript:window.hit=1',
    'Ada\u202e]',
  ]
  for (const [index, name] of people.entries()) {
    write('live.js', `${files['live.js'] ?? ''}${index}\n`)
    await git('add', '-A', 'live.js')
    await git(
      '-c',
      `user.name=${name}`,
      '-c',
      'user.email="onmouseover=window.hit=1"@evil.test',
      'commit',
      '-q',
      `--author=${name} <x"onmouseover="window.hit=1@evil.test>`,
      '-m',
      `${line(index)}\n\n${lines.join('\n')}\n\nCo-authored-by: ${line(1)} <x@evil.test>`,
    )
  }
  for (const [index, text] of lines.entries())
    await git('commit', '-q', '--allow-empty', '-m', text === '' ? String(index) : text)
  const tag = 'v"><svg/onload=window.hit=1>'
  await git('tag', '-a', tag, '-m', lines.join('\n'))
  for (const name of refs)
    if (await git('check-ref-format', '--branch', name)) await git('branch', name)
  const remote = withToken(`${url}/${REPO}.git`, token)
  if (!(await git('push', '-q', remote, 'main', tag)))
    throw new Error('the wild repository was not taken')
  // One by one, because each may be refused.
  const branches: string[] = []
  for (const name of refs)
    if (await git('push', '-q', remote, `refs/heads/${name}`)) branches.push(name)
  const head = (await runGit(work, ['rev-parse', 'HEAD'])).out.trim()
  const first = (await runGit(work, ['rev-list', '--max-parents=0', 'HEAD'])).out.trim()
  rmSync(work, { recursive: true })

  // What is written about it.
  for (const text of lines)
    await ask('POST', `${repo}/labels`, {
      name: text.slice(0, 50),
      color: 'b3420f',
      description: text.slice(0, 100),
    })
  for (const text of lines.slice(0, 12))
    await ask('POST', `${repo}/milestones`, { title: text.slice(0, 100), description: text })
  const issues: number[] = []
  for (let at = 0; at < lines.length; at += 4) {
    const { number } = await need('POST', `${repo}/issues`, {
      title: line(at),
      body: `${line(at + 1)}\n\n${line(at + 2)}\n\n${line(at + 3)}`,
    })
    issues.push(Number(number))
  }
  const [about = 1] = issues
  await Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      for (let at = lane; at < attacks.length; at += 4)
        await ask(
          'POST',
          `${repo}/issues/${issues[Math.floor(at / 20) % issues.length]}/comments`,
          { body: attacks[at] },
        )
    }),
  )
  for (const text of lines.slice(0, 6))
    await ask('PATCH', `${repo}/issues/${about}`, { title: text })
  await ask('POST', `${repo}/releases`, {
    tag_name: tag,
    name: line(2),
    body: [...attacks.slice(0, 30), ...lines.slice(0, 10)].join('\n\n'),
  })
  for (const text of lines.slice(0, 8))
    await ask('POST', `${repo}/statuses/${head}`, {
      state: 'failure',
      context: text.slice(0, 60),
      description: text,
      target_url: text.startsWith('java') ? text : `https://evil.test/${text}`,
    })
  // Files, each named by an attempt, in a comment.
  for (const text of lines.slice(0, 12)) {
    const response = await fetch(
      `${url}/api/v1${repo}/attachments?name=${encodeURIComponent(`${text}.svg`)}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: files['live.svg'] ?? '',
      },
    )
    if (response.status !== 201) {
      refused++
      continue
    }
    taken++
    const { markdown } = (await response.json()) as { markdown: string }
    await need('POST', `${repo}/issues/${about}/comments`, { body: markdown })
  }
  const wikiPages: string[] = []
  for (const [index, text] of lines.slice(0, 12).entries()) {
    const page = await ask('PUT', `${repo}/wiki/page-${index}`, {
      title: text.slice(0, 100),
      body: [text, ...attacks.slice(index * 20, index * 20 + 20)].join('\n\n'),
      message: text.slice(0, 60),
    })
    if (page) wikiPages.push(String(page.slug))
  }
  await ask('POST', `${repo}/rulesets`, { name: line(2), rules: [{ type: 'deletion' }] })
  for (const target of [
    'javascript:window.hit=1',
    'https://evil.test/"><img src=x onerror=window.hit=1>',
  ])
    await ask('POST', `${repo}/hooks`, { url: target, events: ['issue.opened'] })
  await ask('POST', '/workspaces/wild/teams', { name: line(1), description: line(2) })

  // An agent's pull request: the story it tells, and what its checks print.
  const checked = await need('POST', `${repo}/issues`, {
    title: line(2),
    body: line(3),
    checks: [
      `printf %s ${Buffer.from(log).toString('base64')} | base64 -d`,
      "echo '<img src=x onerror=window.hit=1>'",
    ],
  })
  const begun = await need('POST', `${repo}/pulls`, { issue: checked.number, agent: 'thermo' })
  const pull = (begun.pull as { number: number }).number
  const clone = mkdtempSync(join(tmpdir(), 'hearth-wild-'))
  await runGit(clone, [
    'clone',
    '-q',
    withToken((begun.git as { remote: string }).remote, token),
    'work',
  ])
  const fork = join(clone, 'work')
  for (const name of ['live.js', 'live.svg', 'bidi.ts', 'live.csv'])
    writeFileSync(join(fork, name), `${files[name] ?? ''}<img src=x onerror=window.hit=1>\n`)
  await runGit(fork, ['commit', '-q', '-am', `${line(2)}\n\n${line(3)}`])
  await runGit(fork, ['push', '-q', 'origin', 'HEAD'])
  rmSync(clone, { recursive: true })
  for (const kind of ['message', 'thought', 'tool', 'edit', 'summary', 'status']) {
    for (const text of lines.slice(0, 8)) {
      await ask('POST', `${repo}/pulls/${pull}/session`, {
        entries: [
          {
            kind,
            text,
            ...(kind === 'tool' ? { tool: text.slice(0, 40), data: { ok: false } } : {}),
            ...(kind === 'edit' ? { data: { paths: [text] } } : {}),
            ...(kind === 'message' ? { data: { role: 'agent' } } : {}),
          },
        ],
      })
    }
  }
  await need('POST', `${repo}/pulls/${pull}/ready`, { summary: attacks.slice(0, 40).join('\n\n') })
  await ask('POST', `${repo}/pulls/${pull}/reviews`, {
    verdict: 'comment',
    body: line(2),
    comments: lines.slice(0, 4).map((text) => ({
      path: 'bidi.ts',
      line: 1,
      side: 'new',
      body: `${text}\n\n\`\`\`suggestion\n${text}\n\`\`\``,
    })),
  })

  for (let done = false; !done; await Bun.sleep(20))
    done = !['pending', 'running', 'queued'].includes(
      String((await need('GET', `${repo}/pulls/${pull}`)).checks_status),
    )

  const file = (path: string, view = 'blob'): string => codePath(REPO, view as 'blob', 'main', path)
  const at = `/${REPO}`
  const q = (text: string): string => encodeURIComponent(text)
  return {
    taken,
    refused,
    checks: `${at}/pull/${pull}/checks`,
    pages: [
      '/',
      '/explore',
      '/notifications',
      '/wild',
      '/wild/-/members',
      '/wild/-/teams',
      '/wild/-/settings',
      '/wild/-/audit',
      '/wild/-/activity',
      '/ada',
      '/settings/profile',
      '/admin/audit',
      at,
      codePath(REPO, 'tree', 'main', 'names'),
      codePath(REPO, 'tree', 'main', 'vendor'),
      `${at}/branches`,
      `${at}/tags`,
      `${at}/activity`,
      `${at}/code-owners`,
      `${at}/settings`,
      codePath(REPO, 'commits', 'main', ''),
      commitPath(REPO, head),
      commitPath(REPO, first),
      `${commitPath(REPO, first)}?view=split`,
      file('live.js', 'blame'),
      file('live.js', 'edit'),
      ...branches.slice(0, 6).map((name) => codePath(REPO, 'tree', name, '')),
      `${at}/compare/main...${q(branches[0] ?? 'main')}`,
      ...Object.keys(files).map((path) => file(path)),
      ...['live.svg', 'live.md', 'live.csv', 'live.ipynb'].map((path) => `${file(path)}?plain=1`),
      ...fileNames.slice(0, 8).map((name) => file(`names/${name}`)),
      file('names/link'),
      `${at}/issues`,
      ...issues.map((number) => `${at}/issues/${number}`),
      `${at}/issues/new?title=${q(line(2))}&body=${q(line(3))}`,
      `${at}/issues/${about}/edit`,
      `${at}/issues?q=${q(line(2))}&label=${q(line(0))}`,
      `${at}/labels`,
      `${at}/milestones`,
      `${at}/releases`,
      `${at}/releases/tag/${q(tag)}`,
      `${at}/releases/new?tag=${q(line(2))}`,
      `${at}/settings/hooks`,
      `${at}/settings/rulesets`,
      `${at}/pulls`,
      `${at}/pull/${pull}`,
      `${at}/pull/${pull}/changes`,
      `${at}/pull/${pull}/changes?view=split`,
      `${at}/pull/${pull}/commits`,
      `${at}/pull/${pull}/session`,
      `${at}/pull/${pull}/checks`,
      `${at}/queue`,
      `${at}/wiki/_pages`,
      ...wikiPages.flatMap((slug) =>
        ['', '_edit/', '_history/'].map((view) => `${at}/wiki/${view}${q(slug)}`),
      ),
      ...['', '&type=code', '&type=issues', '&type=commits', '&type=people'].flatMap((type) => [
        `/search?q=hit${type}`,
        `/search?q=${q(line(2))}${type}`,
      ]),
      `${at}/search?q=${q(line(0))}`,
      // What an address itself can carry.
      `/${q(line(0))}`,
      `/wild/${q(line(2))}`,
      `${at}/blob/main/${q(line(2))}`,
      `${at}/tree/${q(line(1))}`,
      `${at}/commits/main/${q(line(2))}`,
      `/login?next=javascript:window.hit=1`,
      `/login?next=${q('//evil.test')}`,
      `/device?code=${q(line(2))}`,
      `/explore?q=${q(line(2))}&topic=${q(line(0))}`,
      `/confirm?token=${q(line(2))}`,
      `/reset?token=${q(line(2))}`,
      `/oauth/authorize?client_id=${q(line(2))}&redirect_uri=javascript:window.hit=1`,
      `/register?invite=${q(line(2))}`,
      '/?flash=%3Cscript%3Ewindow.hit=1%3C/script%3E',
      `${at}/pull/${pull}/changes?since=${q(line(2))}&only=${q(line(2))}`,
      `${at}/compare/${q(line(0))}...main`,
    ],
    resources: [
      '/wild.atom',
      `${at}/commits/main.atom`,
      `${at}/releases.atom`,
      ...[
        'live.svg',
        'entity.svg',
        'live.html',
        'live.xhtml',
        'live.xml',
        'live.pdf',
        'live.js',
        'live.md',
      ].map((path) => file(path, 'raw')),
      `${at}/pull/${pull}.diff`,
      `${at}/pull/${pull}.patch`,
    ],
  }
}
