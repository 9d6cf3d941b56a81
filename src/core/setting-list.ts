/**
 * All settings of an installation by their names in the file (`section.key`). `setting.ts` says
 * what derives from them. The order is that of the documentation.
 */
import { availableParallelism } from 'node:os'
import type { Static } from './schema.ts'
import {
  choice,
  flag,
  limit,
  list,
  number,
  optionalFlag,
  optionalSpan,
  optionalText,
  tables,
  text,
  type Setting,
} from './setting.ts'

/** The highest number that administrators may choose for a size. */
const MAX_CHOICE = 2 ** 45

export const SETTINGS = {
  data: text({
    default: './data',
    help: 'Directory of all data.',
  }),
  listen: text({
    default: '127.0.0.1:3000',
    help: 'Address and port to listen on, or unix:/path; port 0 picks one. A socket that systemd hands over is used in its place.',
  }),
  site_url: optionalText({
    help: 'The public address; derived from the listener when it is not set.',
  }),
  log_level: choice(['debug', 'info', 'warn', 'error'], {
    default: 'info',
    help: 'The least severe log lines that are written.',
  }),
  log_format: choice(['json', 'text'], {
    default: 'json',
    help: 'One JSON object a line, or plain text.',
  }),
  log_slow_query_ms: number({
    default: 250,
    unit: 'milliseconds',
    changeable: { at: ['slow', 'query_ms'], minimum: 0, maximum: 3_600_000 },
    help: 'Database queries that take at least so many milliseconds are logged; 0 logs none.',
  }),
  log_slow_git_ms: number({
    default: 10_000,
    unit: 'milliseconds',
    changeable: { at: ['slow', 'git_ms'], minimum: 0, maximum: 3_600_000 },
    help: 'Git operations that take at least so many milliseconds are logged; 0 logs none.',
  }),
  development: flag({
    default: false,
    help: 'Shows the component gallery; never in production.',
  }),
  'accounts.sign_up': choice(['open', 'invite', 'sso_only', 'closed'], {
    default: 'invite',
    changeable: { at: ['sign_up'] },
    help: 'Who may create an account.',
  }),
  'sso.passwords': choice(['everyone', 'administrators'], {
    default: 'everyone',
    help: 'Who may sign in with a password of this site.',
  }),
  'sso.oidc': tables({
    help: 'OpenID Connect providers: one [[sso.oidc]] table each, with id, name, issuer, client_id, client_secret.',
  }),
  'sso.ldap.url': optionalText({
    help: 'LDAP server as ldaps://host or, with start_tls, ldap://host.',
  }),
  'sso.ldap.name': optionalText({ help: 'What the directory is called on the sign-in page.' }),
  'sso.ldap.start_tls': flag({
    default: false,
    help: 'Whether an ldap:// connection is encrypted with StartTLS.',
  }),
  'sso.ldap.ca_file': optionalText({ help: 'Certificate authorities of the LDAP server, in PEM.' }),
  'sso.ldap.bind_dn': optionalText({
    help: 'The entry that searches for people; anonymous when it is not set.',
  }),
  'sso.ldap.bind_password': optionalText({
    secret: true,
    help: 'Its password.',
  }),
  'sso.ldap.base': optionalText({ help: 'The entry below which people are.' }),
  'sso.ldap.filter': optionalText({
    help: 'Finds a person; {login} is what was typed. (&(objectClass=person)(uid={login})) unless set.',
  }),
  'sso.ldap.id_attribute': optionalText({
    help: 'The attribute that never changes for a person; entryUUID unless set.',
  }),
  'sso.ldap.username_attribute': optionalText({
    help: 'The attribute with the username; uid unless set.',
  }),
  'sso.ldap.name_attribute': optionalText({
    help: 'The attribute with the display name; cn unless set.',
  }),
  'sso.ldap.email_attribute': optionalText({
    help: 'The attribute with the email address; mail unless set.',
  }),
  'sso.ldap.group_base': optionalText({
    help: 'The entry below which groups are; without it there are none.',
  }),
  'sso.ldap.group_filter': optionalText({
    help: 'Finds the groups of a person by {dn} or {username}; (&(objectClass=groupOfNames)(member={dn})) unless set.',
  }),
  'sso.ldap.group_attribute': optionalText({ help: 'The name of a group; cn unless set.' }),
  'sso.ldap.groups': list({
    help: 'Access that groups grant: group = workspace, group = workspace:owner, group = workspace/team.',
  }),
  'sso.ldap.sign_up': optionalFlag({
    help: 'Whether people of the directory get accounts; as accounts.sign_up says unless set.',
  }),
  'sso.ldap.link_by_email': flag({
    default: false,
    help: 'Whether a person of the directory takes over the account with the same confirmed address.',
  }),
  'sso.ldap.trust_email': flag({
    default: false,
    help: 'Whether addresses of the directory count as confirmed.',
  }),
  'sso.header.username_header': optionalText({
    help: 'The header in which a proxy of proxy.trusted names the person that it has signed in; without it there is no such sign-on.',
  }),
  'sso.header.id_header': optionalText({
    help: 'The header with the id that never changes for a person; the username unless set.',
  }),
  'sso.header.name_header': optionalText({ help: 'The header with the display name.' }),
  'sso.header.email_header': optionalText({
    help: 'The header with the address; new accounts need one.',
  }),
  'sso.header.groups_header': optionalText({
    help: 'The header with the groups; without it there are none.',
  }),
  'sso.header.groups_separator': optionalText({
    help: 'What stands between two groups; a comma unless set.',
  }),
  'sso.header.name': optionalText({
    help: 'What this sign-on is called in the settings of people.',
  }),
  'sso.header.groups': list({
    help: 'Access that groups grant: group = workspace, group = workspace:owner, group = workspace/team.',
  }),
  'sso.header.sign_up': optionalFlag({
    help: 'Whether people whom the proxy names get accounts; as accounts.sign_up says unless set.',
  }),
  'sso.header.link_by_email': flag({
    default: false,
    help: 'Whether a person whom the proxy names takes over the account with the same confirmed address.',
  }),
  'sso.header.trust_email': flag({
    default: true,
    help: 'Whether addresses that the proxy gives count as confirmed.',
  }),
  'workspaces.per_person': number({
    default: 10,
    changeable: { at: ['workspaces_per_person'], minimum: 1, maximum: 10_000 },
    help: 'How many workspaces one person may belong to.',
  }),
  'repos.private_by_default': flag({
    default: true,
    changeable: { at: ['private_by_default'] },
    help: 'Whether a new repository is private unless the request says otherwise.',
  }),
  'mcp.origins': list({
    help: 'Origins besides the site from which browsers may call the tool server.',
  }),
  'tls.certificate': optionalText({
    help: 'A file with the certificate of the site and its chain, in PEM; read again when it changes.',
  }),
  'tls.key': optionalText({ help: 'The file with its private key, in PEM, without a password.' }),
  'tls.redirect': optionalText({
    help: 'Address and port (such as 0.0.0.0:80) where unencrypted requests are redirected to site_url, and http-01 challenges are answered.',
  }),
  'acme.domains': list({
    help: 'Names to get certificates for from an authority that speaks ACME. Setting it agrees to the terms of the authority.',
  }),
  'acme.email': optionalText({ help: 'The address that the authority may write to.' }),
  'acme.directory': text({
    default: 'https://acme-v02.api.letsencrypt.org/directory',
    help: 'The directory of the authority.',
  }),
  'acme.challenge': choice(['tls-alpn-01', 'http-01'], {
    default: 'tls-alpn-01',
    help: 'How names are validated: on the port of the site itself (public port 443), or on that of tls.redirect (public port 80).',
  }),
  'acme.ca_file': optionalText({
    help: 'Certificate authorities of the directory, in PEM; for an authority of your own.',
  }),
  'proxy.trusted': list({ help: 'Addresses of proxies whose forwarded headers are trusted.' }),
  'outbound.allow': list({
    help: 'Host names, addresses and blocks that may be reached besides public ones; http:// before one allows it unencrypted.',
  }),
  'integrations.allow': list({
    help: 'Further host names, addresses and blocks that integrations such as model providers may reach, written as in outbound.allow; unix:/run/models.sock allows that socket.',
  }),
  'agents.at_once': number({
    default: 4,
    minimum: 1,
    changeable: { at: ['agents', 'at_once'], minimum: 1, maximum: 200 },
    help: 'How many runs of agents are at work at once; others wait. The built-in agent takes about 2 MB of memory; a program that is brought along takes what it takes.',
  }),
  'agents.hosts': list({
    help: 'Hosts that agent programs reach from their box besides models and tools, such as registry.npmjs.org or mirror.example:8443; port 443 unless given. A repository may narrow them. Private addresses need outbound.allow too.',
  }),
  'audit.ip': flag({
    default: true,
    changeable: { at: ['audit', 'ip'] },
    help: 'Whether the audit log holds the addresses that requests came from.',
  }),
  'audit.keep_days': number({
    default: 400,
    unit: 'days',
    minimum: 30,
    changeable: { at: ['audit', 'keep_days'], minimum: 30, maximum: 36_500 },
    help: 'How long entries of the audit log are kept, at least 30.',
  }),
  'mail.url': optionalText({
    secret: true,
    help: 'SMTP server as smtp://user:password@host:port; without it mail goes to <data>/outbox.',
  }),
  'mail.from': optionalText({ help: 'Sender of mail, as Name <address>.' }),
  'checks.isolation': choice(['required', 'none'], {
    default: 'required',
    help: 'Whether commands of acceptance checks are refused where they cannot be isolated; none runs them with the rights of this server, for a forge whose every user is trusted.',
  }),
  'checks.network': flag({
    default: false,
    help: 'Whether commands of acceptance checks may use the network of this machine, which reaches whatever this machine reaches.',
  }),
  'checks.memory': number({
    default: 2 * 1024 ** 3,
    unit: 'bytes',
    minimum: 64 * 1024 ** 2,
    help: 'Memory that one command of acceptance checks may use.',
  }),
  'checks.disk': number({
    default: 4 * 1024 ** 3,
    unit: 'bytes',
    minimum: 16 * 1024 ** 2,
    help: 'Disk space that the commands of one pull request may use.',
  }),
  'checks.processes': number({
    default: 512,
    minimum: 16,
    help: 'Processes that one command of acceptance checks may have.',
  }),
  'checks.readable': list({
    help: 'Folders with programs, besides those of the system, that commands of acceptance checks may read.',
  }),
  'checks.keep_days': number({
    default: 90,
    unit: 'days',
    minimum: 1,
    changeable: { at: ['checks', 'keep_days'], minimum: 1, maximum: 36_500 },
    help: 'How long the output of acceptance checks is kept, in days.',
  }),
  'jobs.local': flag({
    default: true,
    help: 'Whether this process runs jobs of workflows, isolated as acceptance checks are and with their limits. Without it, and without another runner, workflows do not run.',
  }),
  'jobs.network': choice(['internet', 'machine', 'none'], {
    default: 'internet',
    help: 'The network of jobs that run in this process: the internet without this machine and its neighbours (needs slirp4netns; without it none), whatever this machine reaches (never for changes by people without Write), or none.',
  }),
  'jobs.containers': choice(['none', 'podman', 'docker'], {
    default: 'none',
    help: 'Containers for jobs of this process (services, container, docker://), by the podman or the Docker of this machine. They have fewer walls than the sandbox, and with Docker their root is root of the machine; changes by people without Write never have any.',
  }),
  'jobs.keep_days': number({
    default: 90,
    unit: 'days',
    minimum: 1,
    help: 'How long logs of jobs are kept, in days.',
  }),
  'jobs.cache_bytes': number({
    default: 10 * 1024 ** 3,
    unit: 'bytes',
    minimum: 1,
    changeable: { at: ['jobs', 'cache_bytes'], minimum: 1, maximum: MAX_CHOICE },
    help: 'What the caches of the workflows of a repository take at most; those that were not used for longest go first.',
  }),
  'jobs.actions_from': list({
    help: 'Where jobs of this process get actions that are not on this forge from, in this order, such as https://github.com: the address before owner/name. Unless set, a step with such an action fails.',
  }),
  'jobs.actions_url': text({
    default: 'https://github.com',
    help: 'Where runners on other machines get actions such as actions/checkout from: the address before owner/name.',
  }),
  'backups.to': optionalText({
    help: 'Where backups go: a directory, or s3://bucket/folder; backups in the data directory unless set.',
  }),
  'backups.every': optionalSpan({
    at: ['backups', 'every_ms'],
    help: 'The interval of automatic backups, such as 24h or 6h; never unless set.',
  }),
  'backups.verify_every': optionalSpan({
    at: ['backups', 'verify_every_ms'],
    help: 'The interval at which the newest backup is restored and checked, such as 7d; never unless set.',
  }),
  'backups.keep_last': number({
    default: 7,
    changeable: { at: ['backups', 'keep', 'last'], minimum: 1, maximum: 1000 },
    help: 'How many of the newest backups are kept.',
  }),
  'backups.keep_daily': number({
    default: 7,
    changeable: { at: ['backups', 'keep', 'daily'], minimum: 0, maximum: 1000 },
    help: 'For how many days the newest backup of the day is kept.',
  }),
  'backups.keep_weekly': number({
    default: 5,
    changeable: { at: ['backups', 'keep', 'weekly'], minimum: 0, maximum: 1000 },
    help: 'For how many weeks the newest backup of the week is kept.',
  }),
  'backups.keep_monthly': number({
    default: 12,
    changeable: { at: ['backups', 'keep', 'monthly'], minimum: 0, maximum: 1000 },
    help: 'For how many months the newest backup of the month is kept.',
  }),
  'backups.recipients': list({
    help: 'Public keys of age (age1…) that backups are encrypted to; only then do they hold the installation key and hearth.toml.',
  }),
  'backups.identity': optionalText({
    help: 'A file with an age identity, for checking encrypted backups here.',
  }),
  'backups.s3_endpoint': optionalText({
    help: "The store's address, such as https://s3.example.com; Amazon's unless set.",
  }),
  'backups.s3_region': text({
    default: 'us-east-1',
    help: 'The region of the bucket.',
  }),
  'backups.s3_access_key': optionalText({
    secret: true,
    help: 'The access key of the store.',
  }),
  'backups.s3_secret_key': optionalText({
    secret: true,
    help: 'Its secret key; HEARTH_BACKUPS_S3_SECRET_KEY keeps it out of the file.',
  }),
  'storage.bucket': optionalText({
    help: 'A bucket (s3://bucket/folder) that git packs and release files are copied to; none unless set. Only this forge may use it.',
  }),
  'storage.endpoint': optionalText({
    help: "The store's address, such as https://s3.example.com; Amazon's unless set.",
  }),
  'storage.region': text({
    default: 'us-east-1',
    help: 'The region of the bucket.',
  }),
  'storage.access_key': optionalText({
    secret: true,
    help: 'The access key of the store.',
  }),
  'storage.secret_key': optionalText({
    secret: true,
    help: 'Its secret key; HEARTH_STORAGE_SECRET_KEY keeps it out of the file.',
  }),
  'storage.local_bytes': limit({
    default: null,
    unit: 'bytes',
    help: 'How much of storage.bucket stays on this machine as well, such as 20G; all of it unless set. The least recently used files are offloaded first, and fetched on demand.',
  }),
  'standby.listen': optionalText({
    help: 'Where this machine talks with its standby or its primary, such as 10.0.0.1:3100; without it there is no standby.',
  }),
  'standby.peer': optionalText({
    help: 'Where the other machine listens, such as 10.0.0.2:3100. Without it the primary knows its standby once that has followed it.',
  }),
  'standby.acknowledge': choice(['local', 'standby'], {
    default: 'local',
    help: 'Where a change must be on disk before it is answered: here, or with the standby too, so that a take-over loses none; then nothing can be changed while the standby is away.',
  }),
  'standby.lease': optionalText({
    help: 'How long this machine may change things without an answer of its standby, such as 10s (at least 2s); after that a take-over needs no person to switch it off. Unlimited unless set.',
  }),
  'metrics.token': optionalText({
    secret: true,
    help: 'The bearer token for /metrics. Site administrators may always read it.',
  }),
  'metrics.allow': list({
    help: 'Addresses and blocks from which /metrics may be read without a token. Not 127.0.0.1 behind a proxy on this machine, unless proxy.trusted names it.',
  }),
  'limits.rate': flag({
    default: false,
    changeable: { at: ['limits', 'rate'] },
    help: 'Whether requests are counted by token, sign-in or address, and refused above the documented numbers a minute.',
  }),
  'limits.proof_of_work': flag({
    default: true,
    changeable: { at: ['limits', 'proof_of_work'] },
    help: 'Whether signed-out readers of more than 60 costly pages in 10 minutes must solve a proof of work.',
  }),
  'limits.disk_reserve': number({
    default: 64 * 1024 ** 2,
    unit: 'bytes',
    changeable: { at: ['limits', 'disk_reserve'], minimum: 0, maximum: MAX_CHOICE },
    help: 'While the disk of the data directory has less free space, changes are refused. Reads go on.',
  }),
  'archives.max_files': limit({
    default: 10_000,
    changeable: { at: ['archives', 'max_files'], minimum: 1, maximum: MAX_CHOICE },
    help: 'The maximum files in a downloaded archive; none lifts it.',
  }),
  'archives.max_bytes': limit({
    default: 24_000_000,
    unit: 'bytes',
    changeable: { at: ['archives', 'max_bytes'], minimum: 1, maximum: MAX_CHOICE },
    help: 'The maximum bytes of files in a downloaded archive; none lifts it.',
  }),
  'releases.max_asset_bytes': number({
    default: 2 * 1024 ** 3,
    unit: 'bytes',
    minimum: 1,
    changeable: { at: ['releases', 'max_asset_bytes'], minimum: 1, maximum: MAX_CHOICE },
    help: 'The largest file that a release takes.',
  }),
  'ssh.listen': optionalText({
    help: 'Address and port on which git is served over SSH, such as 0.0.0.0:2222; off when it is not set. Clone addresses name this port with the host of site_url.',
  }),
  'lfs.max_bytes': number({
    default: 10 * 1024 ** 3,
    unit: 'bytes',
    minimum: 1,
    changeable: { at: ['lfs', 'max_bytes'], minimum: 1, maximum: MAX_CHOICE },
    help: 'The largest file that Git LFS takes.',
  }),
  'packages.max_file_bytes': number({
    default: 500 * 1024 ** 2,
    unit: 'bytes',
    minimum: 1,
    changeable: { at: ['packages', 'max_file_bytes'], minimum: 1, maximum: MAX_CHOICE },
    help: 'The largest file of a package.',
  }),
  'packages.max_layer_bytes': number({
    default: 10 * 1024 ** 3,
    unit: 'bytes',
    minimum: 1,
    changeable: { at: ['packages', 'max_layer_bytes'], minimum: 1, maximum: MAX_CHOICE },
    help: 'The largest layer of a container image.',
  }),
  'attachments.max_bytes': number({
    default: 25 * 1024 ** 2,
    unit: 'bytes',
    minimum: 1,
    changeable: { at: ['attachments', 'max_bytes'], minimum: 1, maximum: MAX_CHOICE },
    help: 'The largest file that an issue, comment or review takes.',
  }),
  'security.contact': list({
    help: 'Where vulnerabilities of this site are reported: mailto:, https: or tel: addresses, the preferred one first. /.well-known/security.txt (RFC 9116) shows them, and does not exist without one.',
  }),
  'security.policy': optionalText({
    help: 'The https: address of the policy that security.txt names.',
  }),
  'images.external': choice(['direct', 'proxy', 'off'], {
    default: 'direct',
    changeable: { at: ['images', 'external'] },
    help: 'How documents show images of other sites: browsers load them directly without a referrer, this site fetches them (at most 5 MB, allowed by outbound.allow as webhooks are), or a link is shown.',
  }),
  'git.workers': number({
    default: Math.max(1, Math.min(4, availableParallelism())),
    defaultText: 'the cores, at most 4',
    help: 'Threads for work on packs, diffs and history.',
  }),
  'git.concurrency': number({
    default: 2 * availableParallelism(),
    minimum: 1,
    defaultText: 'twice the cores',
    help: 'Pack operations that run at once; others wait.',
  }),
  'git.places_per_caller': number({
    // Also with one core a slow clone of somebody must not hold up their push.
    default: Math.max(3, 2 * availableParallelism() - 1),
    minimum: 1,
    defaultText: 'one less than git.concurrency, at least 3',
    changeable: { at: ['git', 'places_per_caller'], minimum: 1, maximum: 10_000 },
    help: 'Git transfers of one caller (an account, or an address) that run at once; more of them wait.',
  }),
  'git.memory_budget': number({
    default: 256 * 1024 ** 2,
    unit: 'bytes',
    help: 'Memory that the git engine may hold in caches and buffers.',
  }),
  'git.kept_bytes': number({
    default: 2 * 1024 ** 3,
    unit: 'bytes',
    help: 'Disk space for cached responses to fetches; 0 caches none.',
  }),
  'git.max_object_bytes': number({
    default: 256 * 1024 ** 2,
    unit: 'bytes',
    help: 'The largest file, or other object, that a push may hold.',
  }),
  'git.max_pack_bytes': number({
    default: 4 * 1024 ** 3,
    unit: 'bytes',
    help: 'The largest pack that one push may send.',
  }),
  'git.old_faults': choice(['first_push', 'always', 'never'], {
    default: 'first_push',
    help: 'When pushes may hold the harmless faults of old history, such as a bad time zone, as imports may: into a repository without refs, always or never.',
  }),
} as const

export type SettingName = keyof typeof SETTINGS

/** The value of every setting as configured. */
export type SettingValues = {
  readonly [N in SettingName]: Static<(typeof SETTINGS)[N]['schema']>
}

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** The declaration of a setting by any text; null for an unknown name. */
export const findSetting = (name: string): Setting | null =>
  Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : null
