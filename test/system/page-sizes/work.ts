/** What models and jobs write: questions, answers, summaries, sessions of the built-in agent, runs. */
import { startModelServer, type Asked, type Reply } from '../../models/model-server.ts'
import { REPO, until, WORKSPACE, type Filling } from './filling.ts'
import { denseText, longDocument, longLine } from './texts.ts'

const AT = `/repos/${REPO}`

/** An agent asks a long question at once; everything else is answered with a long text. */
const answer = ({ body }: Asked): Reply =>
  JSON.stringify(body.tools ?? []).includes('"ask"')
    ? {
        text: longDocument(60_000),
        calls: [{ name: 'ask', input: { question: longDocument(60_000) } }],
      }
    : {
        text: `See [[README.md:1]] and ${'[[docs/log.txt:2]] '.repeat(300)}\n\n${longDocument(150_000)}`,
      }

async function askModels(filling: Filling, pull: number): Promise<string[]> {
  const { ask } = filling
  const model = startModelServer(answer)
  try {
    const { id } = await ask('POST', `/workspaces/${WORKSPACE}/integrations`, {
      provider: 'chat_completions',
      name: longLine(90),
      config: { base_url: model.url },
      secret: 'sk-test',
    })
    await ask('PUT', `/workspaces/${WORKSPACE}/model-routes`, {
      routes: [{ task: 'default', integration: id, model: 'm'.repeat(190), max_usd: 1_000_000 }],
    })
    const questions = []
    for (let at = 0; at < 25; at++) {
      const question = await ask('POST', `${AT}/questions`, { question: longLine(1_900, at) })
      questions.push(question)
      await until('the answer', async () => {
        const { status } = await ask('GET', `${AT}/questions/${String(question.id)}`)
        return status === 'answering' ? undefined : true
      })
    }
    await ask('POST', `${AT}/pulls/${pull}/summary`).catch(() => {})
    const { number } = await ask('POST', `${AT}/issues`, {
      title: 'Ask me',
      body: denseText(60_000),
    })
    await ask('POST', `${AT}/issues/${String(number)}/assign`, { instructions: longLine(3_900) })
    await until('the question of the agent', async () => {
      const list = (await ask('GET', `${AT}/pulls?per_page=5`)) as unknown as { number: number }[]
      const session = await ask('GET', `${AT}/pulls/${list[0]?.number}/session`)
      return JSON.stringify(session).includes('"question"') ? true : undefined
    })
    const [asking] = (await ask('GET', `${AT}/pulls?per_page=5`)) as unknown as { number: number }[]
    return [
      `/${REPO}/ask`,
      `/${REPO}/ask/${String(questions[0]?.id)}`,
      `/${REPO}/pull/${asking?.number}`,
      `/${REPO}/pull/${asking?.number}/session`,
      `/${REPO}/issues/${String(number)}`,
      `/${REPO}/agents`,
      `/${WORKSPACE}/-/agents`,
      '/admin/agents',
    ]
  } finally {
    model.stop()
  }
}

async function runWorkflows({ ask }: Filling): Promise<string[]> {
  const [workflow] = (await ask('GET', `${AT}/actions/workflows`)) as unknown as { id: string }[]
  const inputs = {}
  const dispatch = () =>
    ask('POST', `${AT}/actions/workflows/${workflow?.id}/dispatch`, { ref: 'main', inputs })
  await dispatch()
  const run = await until('the end of the run', async () => {
    const [first] = (await ask('GET', `${AT}/actions/runs`)) as unknown as {
      id: string
      status: string
    }[]
    return first?.status === 'completed' ? first : undefined
  })
  for (let at = 0; at < 40; at++) {
    await dispatch()
    const [last] = (await ask('GET', `${AT}/actions/runs`)) as unknown as { id: string }[]
    await ask('POST', `${AT}/actions/runs/${last?.id}/cancel`).catch(() => {})
  }
  const jobs = (await ask('GET', `${AT}/actions/runs/${run.id}/jobs`)) as unknown as {
    id: string
  }[]
  const here = `/${REPO}/runs`
  return [
    here,
    `${here}/${run.id}`,
    `${here}/${run.id}/job/${jobs[0]?.id}`,
    `${here}/workflow/${workflow?.id}`,
    `/${REPO}/deployments`,
  ]
}

export async function fillWork(filling: Filling): Promise<string[]> {
  const { ask } = filling
  const pulls = (await ask('GET', `${AT}/pulls?state=open`)) as unknown as { number: number }[]
  const first = Math.min(...pulls.map(({ number }) => number))
  return [...(await runWorkflows(filling)), ...(await askModels(filling, first))]
}
