import { ModelRefusal } from './exchange.ts'

/** Stop reasons of OpenAI, Anthropic and Bedrock for unfinished answers. */
const TRUNCATED = ['length', 'max_tokens', 'model_context_window_exceeded']
const DECLINED = ['content_filter', 'content_filtered', 'guardrail_intervened', 'refusal']

/** A partial answer would lose the end of a page. A retry would have the same result, so it counts as a refusal. */
export function refuseUnfinished(doing: string, reason: string | null | undefined): void {
  if (TRUNCATED.includes(reason ?? ''))
    throw new ModelRefusal(`${doing}: the answer was cut off (${reason})`, 200)
  if (DECLINED.includes(reason ?? ''))
    throw new ModelRefusal(`${doing}: the model declined to answer (${reason})`, 200)
}
