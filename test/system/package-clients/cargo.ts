import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Client, type Place } from './client.ts'

const manifest = (name: string, version: string, rest = ''): string => `[package]
name = "${name}"
version = "${version}"
edition = "2021"
description = "Says hello"
license = "MIT"
${rest}`

function writeCrate(client: Client, name: string, version: string, rest = '', code = ''): string {
  client.write(`${name}/Cargo.toml`, manifest(name, version, rest))
  client.write(`${name}/README.md`, `# ${name}\n`)
  client.write(`${name}/src/lib.rs`, `pub fn hello() -> u32 { 42 }\n${code}`)
  return name
}

const PUBLISH = ['cargo', 'publish', '--registry', 'acme', '--allow-dirty', '--no-verify']

/** The toolchains of rustup, which a client with a home of its own would not find. */
export function rustHome(): Record<string, string> {
  const toolchain = process.env.RUSTUP_HOME ?? join(homedir(), '.rustup')
  return existsSync(toolchain) ? { RUSTUP_HOME: toolchain } : {}
}

export async function runCargo(place: Place): Promise<Client> {
  const index = `sparse+${place.url}/packages/${place.workspace}/cargo/`
  const client = new Client('cargo', place, {
    CARGO_HOME: join(place.directory, 'cargo-home'),
    ...rustHome(),
    CARGO_REGISTRIES_ACME_INDEX: index,
    CARGO_REGISTRIES_ACME_CREDENTIAL_PROVIDER: 'cargo:token',
    CARGO_TERM_COLOR: 'never',
  })
  const token = { CARGO_REGISTRIES_ACME_TOKEN: place.token }
  const hello = writeCrate(
    client,
    'hello-crate',
    '1.0.0',
    'repository = "https://example.com/x"\n[features]\nextra = []\n',
  )
  await client.fails('no token to publish', /token/i, hello, PUBLISH)
  await client.succeeds('publish', hello, PUBLISH, token)
  await client.fails('the same number again', /already exists/, hello, PUBLISH, token)
  writeCrate(client, 'hello-crate', '1.1.0')
  await client.succeeds('a second version', hello, PUBLISH, token)
  const user = writeCrate(
    client,
    'user-crate',
    '0.1.0',
    '[dependencies]\nhi = { package = "hello-crate", version = "1", registry = "acme", features = [] }\n',
    'pub fn twice() -> u32 { 2 * hi::hello() }\n',
  )
  await client.succeeds('fetch and build a dependency', user, ['cargo', 'build'], token)
  await client.fails('no token to read', /token|401/i, user, ['cargo', 'update'])
  await client.fails('a wrong token', /not valid|401|rejected/i, user, ['cargo', 'update'], {
    CARGO_REGISTRIES_ACME_TOKEN: `hthu_${'a'.repeat(46)}`,
  })
  await client.succeeds('publish what depends on another', user, PUBLISH, token)
  const registry = ['--registry', 'acme']
  const yank = ['cargo', 'yank', 'hello-crate', '--version', '1.1.0', ...registry]
  await client.succeeds('yank', user, yank, token)
  await client.succeeds('update past the yanked version', user, ['cargo', 'update'], token)
  await client.succeeds('unyank', user, [...yank, '--undo'], token)
  const found = await client.succeeds(
    'search',
    user,
    ['cargo', 'search', 'hello', ...registry],
    token,
  )
  client.check('search shows the crate', found.includes('hello-crate = "1.1.0"'), found)
  const info = await client.succeeds(
    'info',
    user,
    ['cargo', 'info', 'hello-crate', ...registry],
    token,
  )
  client.check('info shows the description', info.includes('Says hello'), info)
  return client
}
