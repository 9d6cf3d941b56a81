/**
 * One call of a stock client, in a process of its own as in a step: `node act.mjs WHAT ARGUMENT…`.
 * Writes what the client answered as JSON into the file that RESULT names.
 */
import { writeFileSync } from 'node:fs'
import { DefaultArtifactClient } from '@actions/artifact'
import { restoreCache, saveCache } from '@actions/cache'
import { getIDToken } from '@actions/core'
import { context, getOctokit } from '@actions/github'
import { cacheDir, downloadTool, extractTar, find } from '@actions/tool-cache'

const artifacts = new DefaultArtifactClient()

const CALLS = {
  upload: (name, root, ...files) => artifacts.uploadArtifact(name, files, root),
  list: () => artifacts.listArtifacts(),
  get: (name) => artifacts.getArtifact(name),
  download: async (name, path) => {
    const { artifact } = await artifacts.getArtifact(name)
    return artifacts.downloadArtifact(artifact.id, { path, expectedHash: artifact.digest })
  },
  remove: (name) => artifacts.deleteArtifact(name),
  save: (key, ...paths) => saveCache(paths, key),
  restore: (key, prefix, ...paths) => restoreCache(paths, key, prefix === '' ? [] : [prefix]),
  /** Downloads an archive as a tool, and keeps it. */
  tool: async (name, version, url) => {
    const archive = await downloadTool(url, undefined, `token ${process.env.GITHUB_TOKEN}`)
    return cacheDir(await extractTar(archive), name, version)
  },
  find: (name, version) => find(name, version),
  context: () => ({ ...context, repo: context.repo, issue: context.issue }),
  request: async (route, parameters) => {
    const { request } = getOctokit(process.env.GITHUB_TOKEN)
    const { status, data } = await request(route, JSON.parse(parameters))
    return { status, data }
  },
  identity: (audience) => getIDToken(audience === '' ? undefined : audience),
}

const [what, ...rest] = process.argv.slice(2)
const result = await CALLS[what](...rest)
writeFileSync(process.env.RESULT, JSON.stringify(result ?? null))
