import { Client, type Place } from './client.ts'

const FAIL = ['curl', '--silent', '--show-error', '--fail-with-body']

export async function runGeneric(place: Place): Promise<Client> {
  const client = new Client('curl', place)
  const base = `${place.url}/packages/${place.workspace}/generic/tool`
  const signed = [...FAIL, '--user', `token:${place.token}`]
  client.write('files/tool.bin', 'one')
  client.write('files/other.bin', 'two')
  const upload = (name: string): string[] => ['--upload-file', name, `${base}/1.0.0/tool.bin`]
  await client.fails('no token', /401|sign in/, 'files', [...FAIL, ...upload('tool.bin')])
  await client.succeeds('put', 'files', [...signed, ...upload('tool.bin')])
  await client.succeeds('put again', 'files', [...signed, ...upload('tool.bin')])
  await client.fails('other bytes', /use a new number/, 'files', [
    ...signed,
    ...upload('other.bin'),
  ])
  const text = await client.succeeds('get the latest', 'files', [
    ...signed,
    `${base}/latest/tool.bin`,
  ])
  client.check('the bytes are the same', text.trim() === 'one', text)
  await client.fails('read without a token', /401|sign in/, 'files', [
    ...FAIL,
    `${base}/1.0.0/tool.bin`,
  ])
  await client.succeeds('delete', 'files', [...signed, '--request', 'DELETE', `${base}/1.0.0`])
  await client.fails('gone', /404|does not exist/, 'files', [...signed, `${base}/1.0.0/tool.bin`])
  return client
}
