/** The clients of OpenAI, Anthropic and Google for JavaScript. Arguments: the address of the gateway, a token. */
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'

const [base, apiKey] = process.argv.slice(2)
const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey, maxRetries: 0 })
const anthropic = new Anthropic({ baseURL: base, apiKey, maxRetries: 0 })
const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base } })
const parameters = { type: 'object', properties: { path: { type: 'string' } } }

let failures = 0
async function step(name, run) {
  try {
    const problem = await run()
    if (problem) throw new Error(problem)
    console.log(`ok ${name}`)
  } catch (error) {
    failures++
    console.log(`FAILED ${name}: ${error?.message ?? error}`)
  }
}
const differs = (got, wanted) =>
  JSON.stringify(got) === JSON.stringify(wanted)
    ? null
    : `got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`

const chat = {
  model: 'code',
  messages: [{ role: 'user', content: 'Look at a.' }],
  tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters } }],
}
const expected = ['Look here.', 'look', { path: 'a' }]

await step('openai models', async () =>
  differs(
    (await openai.models.list()).data.map(({ id }) => id),
    ['code', 'embed'],
  ),
)
await step('openai chat', async () => {
  const { choices, usage } = await openai.chat.completions.create(chat)
  const { content, tool_calls } = choices[0].message
  const call = tool_calls[0].function
  return differs(
    [content, call.name, JSON.parse(call.arguments), choices[0].finish_reason, usage.total_tokens],
    [...expected, 'tool_calls', 120],
  )
})
await step('openai chat stream', async () => {
  const stream = openai.chat.completions.stream({
    ...chat,
    stream_options: { include_usage: true },
  })
  const { choices, usage } = await stream.finalChatCompletion()
  const call = choices[0].message.tool_calls[0].function
  return differs(
    [choices[0].message.content, call.name, JSON.parse(call.arguments), usage.total_tokens],
    [...expected, 120],
  )
})
await step('openai chat, the result of the tool', async () => {
  const { choices } = await openai.chat.completions.create({
    ...chat,
    messages: [
      ...chat.messages,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'It is empty.' },
    ],
  })
  return differs(choices[0].message.content, 'Done.')
})
const responses = {
  model: 'code',
  input: 'Look at a.',
  tools: [{ type: 'function', name: 'look', description: 'Looks.', parameters, strict: false }],
}
const said = ({ output, output_text }) => {
  const call = output.find(({ type }) => type === 'function_call')
  return [output_text, call.name, JSON.parse(call.arguments)]
}
await step('openai responses', async () => {
  const response = await openai.responses.create(responses)
  return differs([...said(response), response.usage.total_tokens], [...expected, 120])
})
await step('openai responses stream', async () => {
  const response = await openai.responses.stream(responses).finalResponse()
  return differs([...said(response), response.usage.total_tokens], [...expected, 120])
})
await step('openai embeddings', async () => {
  const { data } = await openai.embeddings.create({ model: 'embed', input: ['one', 'two'] })
  return differs(data.length, 2)
})
const messages = {
  model: 'code',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Look at a.' }],
  tools: [{ name: 'look', description: 'Looks.', input_schema: parameters }],
}
const blocks = ({ content }) => {
  const call = content.find(({ type }) => type === 'tool_use')
  return [content.find(({ type }) => type === 'text').text, call.name, call.input]
}
await step('anthropic messages', async () => {
  const message = await anthropic.messages.create(messages)
  return differs(
    [...blocks(message), message.stop_reason, message.usage.output_tokens],
    [...expected, 'tool_use', 20],
  )
})
await step('anthropic messages stream', async () => {
  const message = await anthropic.messages.stream(messages).finalMessage()
  return differs(
    [...blocks(message), message.stop_reason, message.usage.output_tokens],
    [...expected, 'tool_use', 20],
  )
})
await step('anthropic, the result of the tool', async () => {
  const message = await anthropic.messages.create({
    ...messages,
    messages: [
      ...messages.messages,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Empty.' }] },
    ],
  })
  return differs(message.content[0].text, 'Done.')
})
await step('anthropic count_tokens', async () => {
  const { input_tokens } = await anthropic.messages.countTokens(messages)
  return input_tokens > 10 ? null : `counted ${input_tokens}`
})
await step('anthropic models', async () => {
  const ids = []
  for await (const { id } of anthropic.models.list()) ids.push(id)
  return differs(ids, ['code', 'embed'])
})
const contents = [{ role: 'user', parts: [{ text: 'Look at a.' }] }]
const declarations = [
  { name: 'look', description: 'Looks.', parametersJsonSchema: parameters },
  {
    name: 'other',
    description: 'Does not look.',
    parameters: { type: 'OBJECT', properties: { path: { type: 'STRING' } } },
  },
]
const generate = {
  model: 'code',
  contents,
  config: {
    systemInstruction: 'Be short.',
    maxOutputTokens: 1000,
    tools: [{ functionDeclarations: declarations }],
  },
}
const generated = ({ text, functionCalls }) => [text, functionCalls[0].name, functionCalls[0].args]
await step('google generateContent', async () => {
  const response = await google.models.generateContent(generate)
  return differs(
    [
      ...generated(response),
      response.candidates[0].finishReason,
      response.usageMetadata.totalTokenCount,
    ],
    [...expected, 'STOP', 120],
  )
})
await step('google generateContent stream', async () => {
  let text = ''
  const calls = []
  let total = 0
  for await (const chunk of await google.models.generateContentStream(generate)) {
    text += chunk.text ?? ''
    calls.push(...(chunk.functionCalls ?? []))
    total = chunk.usageMetadata?.totalTokenCount ?? total
  }
  return differs([text, calls[0].name, calls[0].args, calls.length, total], [...expected, 1, 120])
})
await step('google, the result of the tool', async () => {
  const { candidates } = await google.models.generateContent(generate)
  const [{ functionCall }] = candidates[0].content.parts.filter((part) => part.functionCall)
  const functionResponse = { ...functionCall, args: undefined, response: { output: 'Empty.' } }
  const response = await google.models.generateContent({
    ...generate,
    contents: [...contents, candidates[0].content, { role: 'user', parts: [{ functionResponse }] }],
  })
  return differs(response.text, 'Done.')
})
await step('google chat', async () => {
  const chat = google.chats.create({ model: 'code', config: generate.config })
  const first = await chat.sendMessage({ message: 'Look at a.' })
  const [call] = first.functionCalls
  const second = await chat.sendMessage({
    message: [{ functionResponse: { id: call.id, name: call.name, response: { output: 'A' } } }],
  })
  return differs(second.text, 'Done.')
})
await step('google countTokens', async () => {
  const { totalTokens } = await google.models.countTokens({ model: 'code', contents })
  return totalTokens > 10 ? null : `counted ${totalTokens}`
})
await step('google models', async () => {
  const names = []
  for await (const { name } of await google.models.list()) names.push(name)
  const { displayName } = await google.models.get({ model: 'code' })
  return differs([...names, displayName], ['models/code', 'models/embed', 'code (small)'])
})
await step('google, refusals', async () => {
  const stranger = new GoogleGenAI({ apiKey: 'hthu_none', httpOptions: { baseUrl: base } })
  const one = await stranger.models.generateContent(generate).catch((error) => error)
  const long = await google.models
    .generateContent({ model: 'code', contents: 'too long' })
    .catch((error) => error)
  return differs(
    [one.constructor.name, one.status, long.status, /too long/.test(long.message)],
    ['ApiError', 401, 400, true],
  )
})
await step('one model, by each client', async () => {
  const one = await openai.models.retrieve('code')
  const other = await anthropic.models.retrieve('code')
  return differs([one.id, other.id], ['code', 'code'])
})
await step('refusals are errors of their kind', async () => {
  const strangers = { apiKey: 'hthu_none', maxRetries: 2 }
  const one = await new OpenAI({ baseURL: `${base}/v1`, ...strangers }).models
    .list()
    .catch((error) => error)
  const other = await new Anthropic({ baseURL: base, ...strangers }).messages
    .create(messages)
    .catch((error) => error)
  const long = await openai.chat.completions
    .create({ ...chat, messages: [{ role: 'user', content: 'too long' }] })
    .catch((error) => error)
  return differs(
    [one.constructor.name, other.constructor.name, long.constructor.name, long.message],
    ['AuthenticationError', 'AuthenticationError', 'BadRequestError', '400 the prompt is too long'],
  )
})
process.exit(failures === 0 ? 0 : 1)
