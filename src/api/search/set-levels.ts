/** The ids of the restricted levels that `Access.set` names; `below` is the folder on which the source's checks decide. */
export function setLevels(set: string): { ids: string[]; below: string | null } {
  const [path = '', ...parts] = set.split(';')
  const [, , ...ids] = path.split('/')
  const below = parts.find((part) => part.startsWith(BELOW))?.slice(BELOW.length) ?? null
  return { ids, below }
}

const BELOW = 'below='
