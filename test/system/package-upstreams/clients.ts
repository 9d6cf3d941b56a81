/** Clients that install public packages by the address of a workspace, each into an empty home. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchTool } from '../../../scripts/support/npm.ts'
import { serveTls } from '../package-clients/go.ts'
import type { Client, Place } from '../package-clients/client.ts'

export type Install = {
  readonly name: string
  readonly programs: readonly string[]
  /** Installs into folders that begin with `round`. */
  readonly run: (client: Client, round: string) => Promise<void>
}

const PROJECT = '{"name":"app","version":"1.0.0","private":true}'
const PACKAGE = 'express@4.21.2'
const RUN = ['node', '-p', "typeof require('express')"]

const addressOf = ({ url, workspace }: Place, type: string): string =>
  `${url}/packages/${workspace}/${type}`

function npmConfig(client: Client, folder: string, token: string | null): void {
  const registry = `${addressOf(client.place, 'npm')}/`
  const line = token === null ? '' : `${registry.replace(/^http:/, '')}:_authToken=${token}\n`
  client.write(`${folder}/package.json`, PROJECT)
  client.write(`${folder}/.npmrc`, `registry=${registry}\n${line}`)
}

async function runsExpress(client: Client, what: string, folder: string): Promise<void> {
  const said = await client.succeeds(`${what}: run`, folder, RUN)
  client.check(`${what}: it is a function`, said.trim() === 'function', said)
}

async function installWith(
  client: Client,
  round: string,
  name: string,
  command: readonly string[],
): Promise<void> {
  const folder = `${round}-${name}`
  npmConfig(client, folder, client.place.token)
  const home = client.path(`${folder}-home`)
  const environment = { HOME: home, npm_config_cache: `${home}/cache`, XDG_CACHE_HOME: home }
  await client.succeeds(`${round}: ${name} installs`, folder, [...command, PACKAGE], environment)
  await runsExpress(client, `${round}: ${name}`, folder)
}

async function installWithYarn(client: Client, round: string, yarn: string): Promise<void> {
  const folder = `${round}-yarn`
  client.write(`${folder}/package.json`, PROJECT)
  client.write(`${folder}/yarn.lock`, '')
  client.write(
    `${folder}/.yarnrc.yml`,
    `nodeLinker: node-modules
enableTelemetry: false
enableGlobalCache: false
unsafeHttpWhitelist: ["127.0.0.1"]
npmRegistryServer: "${addressOf(client.place, 'npm')}"
npmAuthToken: "${client.place.token}"
npmAlwaysAuth: true
`,
  )
  const home = { HOME: client.path(`${folder}-home`) }
  await client.succeeds(`${round}: yarn installs`, folder, ['node', yarn, 'add', PACKAGE], home)
  await runsExpress(client, `${round}: yarn`, folder)
}

async function runNpm(client: Client, round: string): Promise<void> {
  const { tools } = client.place
  const pnpm = join(tools, 'node_modules/pnpm/bin/pnpm.cjs')
  const yarn = join(tools, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')
  if (!existsSync(pnpm)) await fetchTool(tools, 'pnpm@9.15.9', '@yarnpkg/cli-dist@4.9.2')
  await installWith(client, round, 'npm', ['npm', 'install', '--no-audit'])
  await installWith(client, round, 'pnpm', ['node', pnpm, 'add', '--store-dir', `./store`])
  await installWith(client, round, 'bun', [process.execPath, 'add'])
  await installWithYarn(client, round, yarn)
  const stranger = `${round}-stranger`
  npmConfig(client, stranger, null)
  await client.fails(`${round}: no token`, /401/, stranger, ['npm', 'install', 'left-pad'])
  npmConfig(client, `${round}-own`, client.place.token)
  const own = ['npm', 'install', '@acme/not-published-yet']
  await client.fails(`${round}: a reserved name`, /404/, `${round}-own`, own)
}

async function runPypi(client: Client, round: string): Promise<void> {
  const index = `${addressOf(client.place, 'pypi').replace('://', `://token:${client.place.token}@`)}/simple/`
  const venv = client.path(`${round}-venv`)
  await client.succeeds(`${round}: a venv`, round, ['python3', '-m', 'venv', venv])
  const pip = [join(venv, 'bin/python'), '-m', 'pip', 'install', '--no-cache-dir']
  const clean = { PIP_CONFIG_FILE: '/dev/null' }
  const install = [...pip, '--index-url', index]
  await client.succeeds(`${round}: pip installs`, round, [...install, 'requests==2.32.3'], clean)
  const import_ = [join(venv, 'bin/python'), '-c', 'import requests; print(requests.__version__)']
  const said = await client.succeeds(`${round}: pip: run`, round, import_)
  client.check(`${round}: pip: the version`, said.trim() === '2.32.3', said)
  await client.succeeds(`${round}: pip installs uv`, round, [...install, 'uv==0.8.14'], clean)
  const uv = [join(venv, 'bin/uv'), 'pip', 'install', '--no-cache', '--index-url', index]
  const target = ['--target', client.path(`${round}-uv`), '--python', join(venv, 'bin/python')]
  await client.succeeds(`${round}: uv installs`, round, [...uv, ...target, 'requests==2.32.3'])
}

async function runCargo(client: Client, round: string): Promise<void> {
  const index = `sparse+${addressOf(client.place, 'cargo')}/`
  client.write(
    `${round}/Cargo.toml`,
    '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nitoa = "1"\nsemver = "1"\n',
  )
  client.write(
    `${round}/src/main.rs`,
    'fn main() { println!("{}", itoa::Buffer::new().format(7u8)); }\n',
  )
  client.write(
    `${round}/.cargo/config.toml`,
    `[source.crates-io]\nreplace-with = "acme"\n[source.acme]\nregistry = "${index}"\n[registries.acme]\nindex = "${index}"\ncredential-provider = "cargo:token"\n`,
  )
  const said = await client.succeeds(`${round}: cargo builds`, round, ['cargo', 'run', '-q'], {
    CARGO_HOME: client.path(`${round}-home`),
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(process.env.HOME ?? '', '.rustup'),
    CARGO_REGISTRIES_ACME_TOKEN: client.place.token,
  })
  client.check(`${round}: cargo: it runs`, said.trim() === '7', said)
}

async function runGo(client: Client, round: string): Promise<void> {
  const tls = serveTls(client)
  try {
    const { token, workspace } = client.place
    client.write(`${round}/go.mod`, 'module example.com/app\n\ngo 1.22\n')
    client.write(
      `${round}/main.go`,
      'package main\n\nimport (\n\t"fmt"\n\t"github.com/google/uuid"\n)\n\nfunc main() { fmt.Println(uuid.Nil) }\n',
    )
    const environment = {
      GOPROXY: `https://token:${token}@127.0.0.1:${tls.port}/packages/${workspace}/go`,
      GOPATH: client.path(`${round}-home`),
      GOFLAGS: '-mod=mod -modcacherw',
      GOTOOLCHAIN: 'local',
      SSL_CERT_FILE: client.path('cert.pem'),
    }
    const get = ['go', 'get', 'github.com/google/uuid@v1.6.0']
    await client.succeeds(`${round}: go get`, round, get, environment)
    const said = await client.succeeds(`${round}: go run`, round, ['go', 'run', '.'], environment)
    client.check(`${round}: go: it runs`, said.includes('00000000-0000'), said)
    await client.succeeds(`${round}: go mod verify`, round, ['go', 'mod', 'verify'], environment)
  } finally {
    tls.stop()
  }
}

async function runMaven(client: Client, round: string): Promise<void> {
  const { place } = client
  const repository = client.path(`${round}-m2`)
  client.write(
    `${round}/settings.xml`,
    `<settings><localRepository>${repository}</localRepository>
<servers><server><id>acme</id><username>token</username><password>${place.token}</password></server></servers>
<mirrors><mirror><id>acme</id><mirrorOf>*</mirrorOf><url>${addressOf(place, 'maven')}</url></mirror></mirrors>
</settings>`,
  )
  await client.succeeds(`${round}: mvn gets junit`, round, [
    ...['mvn', '-q', '-B', '-s', 'settings.xml', 'dependency:get'],
    '-Dartifact=junit:junit:4.13.2',
  ])
  const jar = join(repository, 'junit/junit/4.13.2/junit-4.13.2.jar')
  client.check(`${round}: mvn: the jar is there`, existsSync(jar))
}

export const INSTALLS: Readonly<Record<string, Install>> = {
  npm: { name: 'npm', programs: ['npm', 'node'], run: runNpm },
  pypi: { name: 'pypi', programs: ['python3'], run: runPypi },
  cargo: { name: 'cargo', programs: ['cargo'], run: runCargo },
  go: { name: 'go', programs: ['go', 'openssl'], run: runGo },
  maven: { name: 'mvn', programs: ['mvn', 'java'], run: runMaven },
}
