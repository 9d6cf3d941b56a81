/**
 * How a request in plain English becomes terms that tools are found by: stop words are dropped, words
 * are reduced to stems, and words of other forges stand for the words of this one.
 */

const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about again also am an and any anyone are as at be been before being but by can cannot could
  did do does done down for from get gets getting give go going had has have having he her here him
  his how i if in into is it its itself just let lets like me mine might must my need needs of off on
  one ones onto or our ours out over please s shall she should so some somebody someone than that the
  their them then there these they this those through to too up us using via want wants was we were
  what when where whether which while whom whose why will with would you your yours t don doesn`.split(
    /\s+/,
  ),
)

/** Terms of several words, and spellings with a hyphen, as one word each. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(pull|merge)[- ]requests?\b/g, 'pull'],
  [/\bre-(?=\w)/g, 're'],
  [/\b(log|sign)(ged|ged|ed|ging|ing)?[- ]?in(s|to)?\b/g, 'signin'],
  [/\b(log|sign)(ged|ed|ging|ing)?[- ]?out\b/g, 'signout'],
  [/\bsign(ed|ing)?[- ]up\b/g, 'signup'],
  [/\b(2fa|mfa|two[- ]factor( auth\w*)?)\b/g, 'twofactor'],
  [/\bup[- ]to[- ]date\b/g, 'uptodate'],
  [/\bback(ing|ed)?[- ]up\b/g, 'backup'],
  [/\broll(ed|ing)?[- ]back\b/g, 'rollback'],
  [/\bget(ting)? rid of\b/g, 'delete'],
  [/\b(switch|turn)(ed|ing)?[- ]off\b/g, 'disable'],
  [/\b(switch|turn)(ed|ing)?[- ]on\b/g, 'enable'],
  [/\bopen(ed|ing)? (it |that \w+ |this \w+ |the \w+ )?again\b/g, 'reopen'],
  [/\bopen[- ]source\b/g, 'public'],
  [/\bread[- ]?me\b/g, 'readme'],
  [/\bwork in progress\b/g, 'wip'],
  [/\bci\/cd\b/g, 'ci'],
]

const SUFFIXES = [
  'ations',
  'ation',
  'ions',
  'ion',
  'ments',
  'ment',
  'als',
  'al',
  'ers',
  'er',
  'ings',
  'ing',
  'ed',
  'es',
  's',
  'ly',
] as const
const MIN_STEM_LENGTH = 4

/** The stem of a word: `merging`, `merged` and `merges` are `merg`. Cruder than Porter's stemmer. */
export function stemOf(word: string): string {
  let stem = word
  if (stem.length > 4 && stem.endsWith('ies')) stem = `${stem.slice(0, -3)}y`
  else {
    const suffix = SUFFIXES.find(
      (one) =>
        stem.endsWith(one) &&
        stem.length - one.length >= (one === 's' || one === 'es' ? 3 : MIN_STEM_LENGTH - 1) &&
        !(one === 's' && /[su]s$/.test(stem)) &&
        !((one === 'er' || one === 'al' || one === 'ers') && stem.length - one.length < 4),
    )
    if (suffix !== undefined) {
      stem = stem.slice(0, -suffix.length)
      // `stopped` is `stop`, but `pull` stays.
      if (/([bdgmnprt])\1$/.test(stem) && suffix !== 's') stem = stem.slice(0, -1)
    }
  }
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem
}

/** Words that stand for each other, in groups. A word finds the others at a lower weight. */
const SYNONYMS: readonly string[] = [
  'pull pr prs mr mrs patch',
  'issue ticket bug task defect story problem',
  'repo repository repositories codebase project',
  'workspace organization organisation org company namespace',
  'member teammate colleague coworker employee people person',
  'collaborator contractor guest outsider contributor',
  'user account person people',
  'delete remove erase destroy drop discard trash kick throw',
  'create new make add start open begin',
  'update edit change modify alter set adjust',
  'get show view read see display inspect look details',
  'list show enumerate overview',
  'all every everything',
  'stop kill terminate abort cancel halt end',
  'check ci build test pipeline tests checks',
  'run rerun retry restart trigger execute',
  'workflow pipeline action',
  'author developer programmer committer contributor',
  'mention ping',
  'attach upload',
  'revert undo rollback unmerge',
  'tree directory folder files',
  'agent bot ai robot llm assistant copilot',
  'notification inbox alert',
  'release version publish ship',
  'email mail address',
  'access permission role right rights privilege grant',
  'token pat credential apikey',
  'webhook hook integration callback',
  'comment reply note feedback remark',
  'queue train',
  'search find grep locate lookup',
  'storage disk space usage',
  'file document',
  'owner responsible maintainer',
  'ban suspend block disable',
  'private hidden secret',
  'archive zip tarball download',
  'label tag',
  'subscribe watch follow',
  'unsubscribe mute unfollow unwatch ignore',
  'move transfer',
  'import migrate copy',
  'rule protect protection policy',
  'line lines row',
  'resolve settle',
  'backup snapshot',
  'signin session device laptop browser',
  'application app oauth',
  'invite invitation',
  'history log',
  'failed failing fail broken error red',
  'ready undraft',
  'two second both',
]

/** How much a word counts for another one of its group. */
const SYNONYM_WEIGHT = 0.6

const alternatives = new Map<string, ReadonlySet<string>>(
  Object.entries(
    SYNONYMS.flatMap((group) => {
      const stems = group.split(' ').map(stemOf)
      return stems.map((stem) => [stem, stems] as const)
    }).reduce<Record<string, string[]>>((all, [stem, stems]) => {
      all[stem] = [...(all[stem] ?? []), ...stems]
      return all
    }, {}),
  ).map(([stem, stems]) => [stem, new Set(stems)]),
)

/** The stems of a text, in its order, without stop words. */
export function stemsOf(text: string): string[] {
  let plain = text.toLowerCase().replaceAll('’', "'")
  for (const [phrase, word] of PHRASES) plain = plain.replace(phrase, word)
  return plain
    .replace(/'(s|t|re|ve|ll|d|m)\b/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
    .map(stemOf)
}

/** The stems that a word of a query stands for, with how much each counts. */
export function meaningsOf(stem: string): ReadonlyMap<string, number> {
  const meanings = new Map([[stem, 1]])
  for (const other of alternatives.get(stem) ?? [])
    if (other !== stem) meanings.set(other, SYNONYM_WEIGHT)
  return meanings
}
