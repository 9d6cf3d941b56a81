import { writeZip } from '#lib/archives/zip-writer.ts'
import type { ArchivedFile } from '#lib/archives/archived-file.ts'
import { Client, type Place } from './client.ts'

async function* filesOf(files: Readonly<Record<string, string>>): AsyncGenerator<ArchivedFile> {
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.from(text)
    yield {
      path,
      isExecutable: false,
      size: bytes.length,
      data: (async function* () {
        yield bytes
      })(),
    }
  }
}

export async function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of writeZip(filesOf(files), 6)) parts.push(part)
  return Buffer.concat(parts)
}

const library = (text: string): Readonly<Record<string, string>> => ({
  'composer.json': JSON.stringify({
    name: 'acme/hello',
    description: 'Says hello',
    license: 'MIT',
    autoload: { files: ['hello.php'] },
  }),
  'hello.php': `<?php function hello() { return '${text}'; }\n`,
})

export async function runComposer(place: Place): Promise<Client> {
  const client = new Client('composer', place, {
    COMPOSER_HOME: `${place.directory}/composer-home`,
    COMPOSER_ALLOW_SUPERUSER: '1',
  })
  const base = `${place.url}/packages/${place.workspace}/composer`
  const upload = async (
    what: string,
    version: string,
    text: string,
    status: number,
    token: string,
  ): Promise<void> => {
    client.write('package.zip', await zipOf(library(text)))
    const said = await client.run('.', [
      'curl',
      '-sS',
      '-w',
      '%{http_code}',
      '--user',
      `token:${token}`,
      '--upload-file',
      'package.zip',
      `${base}/?version=${version}`,
    ])
    client.check(what, said.text.includes(String(status)), said.text)
  }
  await upload('upload with a wrong token', '1.0.0', 'one', 401, `hthu_${'a'.repeat(46)}`)
  await upload('upload', '1.0.0', 'one', 201, place.token)
  await upload('upload the same bytes', '1.0.0', 'one', 200, place.token)
  await upload('upload other bytes', '1.0.0', 'other', 409, place.token)
  await upload('upload 1.10', '1.10', 'two', 201, place.token)
  await upload('upload a prerelease', '2.0.0-RC1', 'three', 201, place.token)
  await upload('upload a branch', 'dev-main', 'four', 201, place.token)

  const project = JSON.stringify({
    name: 'acme/app',
    repositories: [{ type: 'composer', url: base }, { packagist: false }],
    config: { 'secure-http': false },
  })
  client.write('app/composer.json', project)
  const composer = (...words: readonly string[]): string[] => [
    'composer',
    '--no-interaction',
    ...words,
  ]
  await client.fails(
    'require without a token',
    /credentials|authenticat|401|console/i,
    'app',
    composer('require', 'acme/hello'),
  )
  await client.succeeds(
    'sign in',
    'app',
    composer(
      'config',
      '--global',
      '--auth',
      `http-basic.${new URL(place.url).host}`,
      'token',
      place.token,
    ),
  )
  await client.succeeds('require', 'app', composer('require', 'acme/hello'))
  const run = async (what: string, text: string): Promise<void> => {
    const said = await client.run('app', [
      'php',
      '-r',
      "require 'vendor/autoload.php'; echo hello();",
    ])
    client.check(what, said.text.trim() === text, said.text)
  }
  await run('installs the highest release', 'two')
  await client.succeeds('require a prerelease', 'app', composer('require', 'acme/hello:2.0.0-RC1'))
  await run('installs the prerelease', 'three')
  await client.succeeds('require a branch', 'app', composer('require', 'acme/hello:dev-main'))
  await run('installs the branch', 'four')
  await client.succeeds('update', 'app', composer('update'))
  const found = await client.succeeds('search', 'app', composer('search', 'hello'))
  client.check('search shows the package', found.includes('acme/hello'), found)
  const shown = await client.succeeds('show', 'app', composer('show', '--all', 'acme/hello'))
  client.check(
    'show lists the versions',
    shown.includes('1.10') && shown.includes('2.0.0-RC1'),
    shown,
  )
  await client.fails(
    'a package that is missing',
    /could not find|not be found/i,
    'app',
    composer('require', 'acme/none'),
  )
  return client
}
