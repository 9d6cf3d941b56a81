/**
 * Fills a running forge with a small story, for looking at pages: `bun scripts/demo.ts URL TOKEN`.
 * It goes through REST and git only, as any client would.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FILES: Record<string, string> = {
  'README.md': `# Oven

A small bakery's oven controller. It keeps the heat where the bread wants it.

> [!NOTE]
> Temperatures are in degrees Celsius, everywhere.

## Use

\`\`\`ts
import { Oven } from './src/oven.ts'

const oven = new Oven({ target: 230 })
await oven.heat()
\`\`\`

| Bread | Target | Minutes |
| --- | ---: | ---: |
| Rye | 250 | 55 |
| Baguette | 240 | 22 |
| Brioche | 180 | 35 |

- [x] Heat
- [ ] Steam, see #2
`,
  LICENSE:
    'MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software.\n',
  'src/oven.ts': `/** Keeps an oven at its target. */
export class Oven {
  #heat = 20

  constructor(private readonly options: { target: number; step?: number }) {}

  /** Goes up by a step until the target is reached. */
  async heat(): Promise<number> {
    const step = this.options.step ?? 10
    while (this.#heat < this.options.target) this.#heat += step
    return this.#heat
  }
}
`,
  'src/bread.py':
    'from dataclasses import dataclass\n\n\n@dataclass\nclass Bread:\n    name: str\n    target: int\n\n    def ready(self, heat: int) -> bool:\n        return heat >= self.target\n',
  'test/oven.test.ts': `import { expect, test } from 'bun:test'\nimport { Oven } from '../src/oven.ts'\n\ntest('reaches its target', async () => {\n  expect(await new Oven({ target: 230 }).heat()).toBeGreaterThanOrEqual(230)\n})\n`,
  'docs/steam.md': '# Steam\n\nA crust wants steam for the first ten minutes.\n',
}

async function run(cwd: string, ...args: string[]): Promise<void> {
  const person = {
    GIT_AUTHOR_NAME: 'Ada Baker',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada Baker',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  }
  const child = Bun.spawn(['git', ...args], {
    cwd,
    env: { ...process.env, ...person, GIT_TERMINAL_PROMPT: '0' },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  if ((await child.exited) !== 0)
    throw new Error(`git ${args.join(' ')}: ${await new Response(child.stderr).text()}`)
}

function write(directory: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

/** Makes the story in the workspace `bakery`; gives the repository's full name. */
export async function fill(url: string, token: string): Promise<string> {
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const answer =
      response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>)
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  const signed = (remote: string) => remote.replace('://', `://x:${token}@`)

  await ask('POST', '/workspaces', { slug: 'bakery', name: 'The Bakery' })
  await ask('POST', '/repos', {
    workspace: 'bakery',
    name: 'oven',
    description: 'Keeps the heat where the bread wants it.',
    private: false,
  })
  await ask('POST', '/repos', {
    workspace: 'bakery',
    name: 'recipes',
    description: 'What we bake, and how.',
    private: true,
  })
  const repo = '/repos/bakery/oven'

  const work = mkdtempSync(join(tmpdir(), 'hearth-demo-'))
  await run(work, 'init', '-q', '-b', 'main')
  write(work, { 'README.md': '# Oven\n' })
  await run(work, 'add', '.')
  await run(work, 'commit', '-q', '-m', 'Begin')
  write(work, FILES)
  await run(work, 'add', '.')
  await run(
    work,
    'commit',
    '-q',
    '-m',
    'Heat to the target\n\nThe first oven only knows one direction: up.',
  )
  await run(work, 'tag', '-a', 'v0.1.0', '-m', 'The first loaf')
  await run(work, 'push', '-q', signed(`${url}/bakery/oven.git`), 'main', 'v0.1.0')
  await ask('PATCH', repo, { topics: ['bakery', 'heat'], website: 'https://example.com' })

  await ask('POST', `${repo}/issues`, {
    title: 'The oven overshoots its target',
    body: 'With `step: 30` it ends at **260** instead of 230.\n\n1. Set a target of 230\n2. Watch it climb\n\nSee `src/oven.ts`.',
    labels: ['bug'],
    checks: ['bun test'],
  })
  await ask('POST', `${repo}/issues`, {
    title: 'Steam for the first ten minutes',
    body: 'A crust wants steam. > See docs/steam.md',
    labels: ['feature'],
  })
  await ask('POST', `${repo}/issues`, {
    title: 'How do I bake two breads at once?',
    labels: ['question'],
  })
  await ask('POST', `${repo}/issues/1/comments`, {
    body: 'I can see it here too. The last step should be smaller:\n\n```ts\nMath.min(step, target - heat)\n```',
  })
  await ask('POST', `${repo}/issues/3/close`, { reason: 'not_planned' })

  const { pull, git } = (await ask('POST', `${repo}/pulls`, {
    issue: 1,
    agent: 'thermo',
  })) as unknown as { pull: { number: number }; git: { remote: string } }
  const fork = mkdtempSync(join(tmpdir(), 'hearth-demo-fork-'))
  await run(fork, 'clone', '-q', signed(git.remote), 'work')
  const clone = join(fork, 'work')
  write(clone, {
    'src/oven.ts': (FILES['src/oven.ts'] ?? '').replace(
      'this.#heat += step',
      'this.#heat += Math.min(step, this.options.target - this.#heat)',
    ),
    'test/oven.test.ts': `${FILES['test/oven.test.ts'] ?? ''}\ntest('stops at its target', async () => {\n  expect(await new Oven({ target: 230, step: 30 }).heat()).toBe(230)\n})\n`,
  })
  await run(clone, 'commit', '-q', '-am', 'Never step past the target')
  await run(clone, 'push', '-q', 'origin', 'HEAD')
  await ask('POST', `${repo}/pulls/${pull.number}/session`, {
    entries: [
      { kind: 'message', text: 'Fix the overshoot in `Oven.heat`.', data: { role: 'user' } },
      { kind: 'thought', text: 'The loop adds a whole step even when less is missing.' },
      { kind: 'tool', tool: 'read_file', text: 'src/oven.ts', data: { ok: true } },
      {
        kind: 'edit',
        text: 'Cap the last step.',
        data: { paths: ['src/oven.ts', 'test/oven.test.ts'] },
      },
      {
        kind: 'tool',
        tool: 'bash',
        text: 'bun test',
        data: { ok: true, exit_code: 0, duration_ms: 812 },
      },
      {
        kind: 'usage',
        text: '',
        data: { model: 'small', input_tokens: 8123, output_tokens: 640, cost_usd: 0.031 },
      },
      {
        kind: 'summary',
        text: 'The last step is now only as large as what is missing. A test with a step of 30 holds it.',
      },
    ],
  })
  await ask('POST', `${repo}/pulls/${pull.number}/ready`, {
    summary:
      'The last step is only as large as what is missing.\n\nFixes the overshoot with large steps.',
  })

  await run(work, 'checkout', '-q', '-b', 'steam')
  write(work, { 'src/steam.ts': 'export const STEAM_MINUTES = 10\n' })
  await run(work, 'add', '.')
  await run(work, 'commit', '-q', '-m', 'Begin with steam')
  await run(work, 'push', '-q', signed(`${url}/bakery/oven.git`), 'steam')
  const second = (await ask('POST', `${repo}/pulls`, {
    branch: 'steam',
    issue: 2,
    title: 'Steam',
  })) as unknown as { pull: { number: number } }
  await ask('POST', `${repo}/pulls/${second.pull.number}/merge`, {}).catch((error: Error) =>
    process.stderr.write(`${error.message}\n`),
  )
  return 'bakery/oven'
}

if (import.meta.main) {
  const [url = '', token = ''] = process.argv.slice(2)
  if (!/^https?:/.test(url) || token === '') {
    process.stderr.write(`usage: bun ${fileURLToPath(import.meta.url)} URL TOKEN\n`)
    process.exit(2)
  }
  process.stdout.write(`${url}/${await fill(url, token)}\n`)
}
