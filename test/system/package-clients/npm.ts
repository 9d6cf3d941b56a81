import { join } from 'node:path'
import { fetchTool } from '../../../scripts/support/npm.ts'
import { Client, type Place } from './client.ts'

const HOLDERS = ['pnpm@9.15.9', '@yarnpkg/cli-dist@4.9.2']
const WRONG = `hthu_${'a'.repeat(46)}`

function configOf({ url, workspace }: Place, token: string | null): string {
  const registry = `${url}/packages/${workspace}/npm/`
  const line = token === null ? '' : `${registry.replace(/^https?:/, '')}:_authToken=${token}\n`
  return `@acme:registry=${registry}\n${line}`
}

function writePackage(client: Client, folder: string, version: string, text: string): void {
  const manifest = { name: '@acme/hello', version, description: 'Says hello', main: 'index.js' }
  client.write(`${folder}/package.json`, JSON.stringify(manifest))
  client.write(`${folder}/index.js`, `module.exports = '${text}'\n`)
  client.write(`${folder}/.npmrc`, configOf(client.place, client.place.token))
}

async function publishAll(client: Client): Promise<void> {
  const publish = ['npm', 'publish', '--access', 'restricted']
  writePackage(client, 'one', '1.0.0', 'one')
  client.write('one/.npmrc', configOf(client.place, null))
  await client.fails('publish without a token', /ENEEDAUTH|401|logged in/, 'one', publish)
  client.write('one/.npmrc', configOf(client.place, WRONG))
  await client.fails('publish with a wrong token', /401|E401|token/, 'one', publish)
  client.write('one/.npmrc', configOf(client.place, client.place.token))
  await client.succeeds('publish', 'one', publish)
  writePackage(client, 'other', '1.0.0', 'other')
  await client.fails('other bytes', /previously published|use a new number/, 'other', publish)
  writePackage(client, 'two', '1.1.0', 'two')
  await client.succeeds('publish a second version', 'two', publish)
  await client.succeeds('dist-tag', 'two', ['npm', 'dist-tag', 'add', '@acme/hello@1.0.0', 'old'])
  const who = await client.succeeds('whoami', 'two', [
    ...['npm', 'whoami', '--registry', `${client.place.url}/packages/acme/npm/`],
  ])
  client.check('it is ada', who.includes('ada'), who)
  const view = await client.succeeds('view', 'two', ['npm', 'view', '@acme/hello', 'versions'])
  client.check('both versions are seen', view.includes('1.0.0') && view.includes('1.1.0'), view)
  const search = ['npm', 'search', 'hello', '--registry', `${client.place.url}/packages/acme/npm/`]
  const found = await client.succeeds('search', 'two', search)
  client.check('search finds it', found.includes('@acme/hello'), found)
}

const RUN = ['node', '-p', "require('@acme/hello')"]

async function installWith(client: Client, name: string, command: readonly string[]) {
  const app = (folder: string, token: string | null): string => {
    client.write(`${folder}/package.json`, '{"name":"app","version":"1.0.0","private":true}')
    client.write(`${folder}/.npmrc`, configOf(client.place, token))
    return folder
  }
  const folder = app(`${name}-app`, client.place.token)
  await client.succeeds(`${name} installs`, folder, [...command, '@acme/hello@1.0.0'])
  const text = await client.succeeds(`${name}: run`, folder, RUN)
  client.check(`${name}: the version that was asked for`, text.trim() === 'one', text)
  const stranger = app(`${name}-stranger`, null)
  await client.fails(`${name} without a token`, /40[134]/, stranger, [...command, '@acme/hello'])
}

async function installWithYarn(client: Client, yarn: string): Promise<void> {
  const { url, workspace, token } = client.place
  client.write('yarn-app/package.json', '{"name":"app","version":"1.0.0","private":true}')
  client.write('yarn-app/yarn.lock', '')
  client.write(
    'yarn-app/.yarnrc.yml',
    `nodeLinker: node-modules
enableTelemetry: false
unsafeHttpWhitelist: ["127.0.0.1"]
npmScopes:
  acme:
    npmRegistryServer: "${url}/packages/${workspace}/npm"
    npmAuthToken: "${token}"
    npmAlwaysAuth: true
`,
  )
  const add = ['node', yarn, 'add', '@acme/hello@1.0.0']
  await client.succeeds('yarn installs', 'yarn-app', add)
  const text = await client.succeeds('yarn: run', 'yarn-app', RUN)
  client.check('yarn: the version that was asked for', text.trim() === 'one', text)
}

async function withdraw(client: Client): Promise<void> {
  await client.succeeds('deprecate', 'two', ['npm', 'deprecate', '@acme/hello@1.0.0', 'old one'])
  const view = ['npm', 'view', '@acme/hello@1.0.0', 'deprecated']
  const said = await client.succeeds('the note is seen', 'two', view)
  client.check('it is the note', said.includes('old one'), said)
  await client.succeeds('unpublish', 'two', ['npm', 'unpublish', '@acme/hello@1.1.0', '--force'])
  await client.fails('the version is gone', /404|No match|notarget/i, 'npm-app', [
    ...['npm', 'install', '@acme/hello@1.1.0', '--prefer-online'],
  ])
}

export async function runNpm(place: Place): Promise<Client> {
  const client = new Client('npm', place, { npm_config_update_notifier: 'false' })
  await publishAll(client)
  await installWith(client, 'npm', ['npm', 'install', '--no-audit'])
  await installWith(client, 'bun', [process.execPath, 'add'])
  await fetchTool(place.tools, ...HOLDERS).catch(() => {})
  const modules = join(place.tools, 'node_modules')
  const pnpm = join(modules, 'pnpm/bin/pnpm.cjs')
  const yarn = join(modules, '@yarnpkg/cli-dist/bin/yarn.js')
  if (await Bun.file(pnpm).exists()) await installWith(client, 'pnpm', ['node', pnpm, 'add'])
  else client.check('pnpm is left out, as it could not be fetched', !process.env.CI)
  if (await Bun.file(yarn).exists()) await installWithYarn(client, yarn)
  else client.check('yarn is left out, as it could not be fetched', !process.env.CI)
  await withdraw(client)
  return client
}
