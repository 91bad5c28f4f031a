/** Reads the three date forms of RFC 9110 section 5.6.7 strictly; `Date.parse` also accepts prose and local time. */

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const IMF = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const RFC850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/** Epoch ms, or null. `now` decides the century of a two-digit year. */
export function parseHttpDate(text: string, now: number): number | null {
  const imf = IMF.exec(text);
  if (imf !== null) return toEpoch(Number(imf[3]), imf[2]!, imf[1]!, imf[4]!, imf[5]!, imf[6]!);
  const rfc850 = RFC850.exec(text);
  if (rfc850 !== null) {
    return toEpoch(century(Number(rfc850[3]), now), rfc850[2]!, rfc850[1]!, rfc850[4]!, rfc850[5]!, rfc850[6]!);
  }
  const asctime = ASCTIME.exec(text);
  if (asctime === null) return null;
  return toEpoch(Number(asctime[6]), asctime[1]!, asctime[2]!, asctime[3]!, asctime[4]!, asctime[5]!);
}

/** RFC 9110: a two-digit year that seems more than 50 years ahead lies in the past. */
function century(year: number, now: number): number {
  const current = new Date(now).getUTCFullYear();
  const full = current - (current % 100) + year;
  return full > current + 50 ? full - 100 : full;
}

function toEpoch(year: number, month: string, day: string, hour: string, minute: string, second: string) {
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  if (monthIndex < 0 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const epoch = Date.UTC(year, monthIndex, Number(day), Number(hour), Number(minute), Number(second));
  // Date.UTC rolls 31 February over into March: such a date is an error, not the 3rd.
  return Number.isNaN(epoch) || new Date(epoch).getUTCMonth() !== monthIndex ? null : epoch;
}
