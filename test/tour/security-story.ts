/** Findings in the repository of the story: of a scanner, of a stranger, and an advisory. */
import type { asker } from './story.ts'

type Ask = ReturnType<typeof asker>

export type Findings = {
  readonly alert: string
  readonly report: string
  readonly advisory: string
}

const REPO = '/repos/bakery/timer'

const SARIF = {
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'Breadcheck',
          semanticVersion: '2.1.0',
          rules: [
            {
              id: 'heat-without-limit',
              name: 'HeatWithoutLimit',
              shortDescription: { text: 'Heat without an upper limit' },
              help: { markdown: 'Compare the target with **the limit** of the oven first.' },
              properties: { 'security-severity': '8.1', tags: ['security'] },
            },
          ],
        },
      },
      results: [
        {
          ruleId: 'heat-without-limit',
          message: { text: 'The target is not compared with a limit.' },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: '.hearth/workflows/bake.yml' },
                region: { startLine: 12 },
              },
            },
          ],
        },
      ],
    },
  ],
}

/** The alert of an upload, once it is processed. */
async function alertOf(ask: Ask): Promise<string> {
  for (const end = Date.now() + 120_000; Date.now() < end; await Bun.sleep(50)) {
    const [alert] = (await ask('GET', `${REPO}/code-scanning/alerts`)) as unknown as {
      id: string
    }[]
    if (alert) return alert.id
  }
  throw new Error('the analysis of the story was not processed within two minutes')
}

export async function findFaults(ask: Ask): Promise<Findings> {
  const [head] = (await ask('GET', `${REPO}/commits?ref=main&limit=1`)) as unknown as {
    sha: string
  }[]
  await ask('POST', `${REPO}/code-scanning/sarifs`, {
    commit_sha: head?.sha,
    git_ref: 'refs/heads/main',
    sarif: SARIF,
  })
  const report = await ask('POST', `${REPO}/security/reports`, {
    title: 'The door opens while it is hot',
    description: 'Two presses within a second unlock it.\n\n1. Heat to 200\n2. Press twice',
    severity: 'high',
  })
  const advisory = await ask('POST', `${REPO}/security/advisories`, {
    title: 'Timers of 0.1 ring too late',
    description: 'Timers above an hour lose a minute.',
    severity: 'medium',
  })
  return { alert: await alertOf(ask), report: String(report.id), advisory: String(advisory.id) }
}
