/** The journal: forty short pieces, each with a topic, a date and its first sentence. */

export interface Article {
  title: string;
  topic: Topic;
  /** The day it was published, in ISO form. */
  date: string;
  lead: string;
}

export type Topic = "sea" | "river" | "workshop" | "kitchen" | "people";

/** What the writers of the journal say again and again; each article takes three of its topic. */
export const TOPIC_SENTENCES: Record<Topic, readonly string[]> = {
  sea: [
    "We fished the two hours either side of high water and packed up when the weed came in.",
    "The wind had gone round to the north-west, which flattens the bay but chills the water.",
    "Nobody caught anything before the light went, and everybody did after.",
    "A short cast was enough: the gutter runs thirty metres out along most of this beach.",
    "If you take a fish, take one, and measure it before you are sure of it.",
    "Leave the rock marks alone when there is a swell from the south.",
  ],
  river: [
    "The water was the colour of weak tea after the rain, and clearing from the top.",
    "Stand back from the bank; the fish see the hat long before the line.",
    "We changed down to a finer leader twice and wished we had begun with it.",
    "Olives came off at eleven, as they do, and stopped at one, as they also do.",
    "Check the rules of the water before you go: some beats close two weeks early.",
    "A wading stick weighs nothing compared with a wet coat.",
  ],
  workshop: [
    "Everything was soaked in warm water first, because salt hides under the bail arm.",
    "Use less oil than you think, and none on the drag.",
    "Lay the parts out in the order they came off and take a photograph.",
    "The ring had cracked where the eye cannot see it; a cotton bud found it at once.",
    "Two thin coats hold better than a thick one, and dry in half the time.",
    "We charge for parts and for an hour, and give the worn piece back in a bag.",
  ],
  kitchen: [
    "Salt it an hour before, wipe it dry, and the skin will not stick.",
    "A hot pan and patience do more than any sauce.",
    "Keep the heads; they are tomorrow's soup.",
    "We ate it with bread and the last of the tomatoes.",
    "Mackerel does not wait: cook it on the day.",
    "Fennel grows wild on the path down to the slipway, so we use it for nearly everything.",
  ],
  people: [
    "She has worked the counter since the shop had a coal stove.",
    "The tea is strong and the opinions are stronger.",
    "Most of what we sell was first asked for across that counter.",
    "He still keeps the tide tables of 1988, for reasons he will explain if asked.",
    "Visitors are welcome on Thursdays, when the kettle is on.",
    "We are looking for somebody to take over the Saturday class.",
  ],
};

const article = (date: string, topic: Topic, title: string, lead: string): Article => ({ date, topic, title, lead });

export const ARTICLES: readonly Article[] = [
  article("2024-01-13", "sea", "Codling from the steps", "January gave us one good night, and this was it."),
  article("2024-01-29", "workshop", "How to wash a reel", "Most reels that come in for repair only need washing."),
  article("2024-02-17", "people", "Meet Nora at the counter", "Nora can tell your hook size from your coat."),
  article("2024-03-09", "river", "Opening day on the Ell", "There was frost on the rod rings until nine."),
  article("2024-03-30", "kitchen", "Smoked sprats on toast", "Sprats are cheap, quick and unfairly forgotten."),
  article("2024-04-20", "sea", "The first bass of spring", "They came with the sand eels, a week early."),
  article("2024-05-11", "workshop", "Replacing a tip ring", "It takes ten minutes and a lighter."),
  article("2024-06-01", "river", "Mayfly, and how to miss it", "We arrived on the Tuesday; it had been Monday."),
  article("2024-06-22", "people", "The Saturday knot class", "Eleven children, one rope and no tears."),
  article("2024-07-13", "sea", "Mackerel for beginners", "If you have never caught a fish, begin here."),
  article("2024-08-03", "kitchen", "Mackerel with gooseberries", "An old pairing that needs no improving."),
  article("2024-08-24", "sea", "Wrasse in the kelp", "Strong tackle, soft hands and a crab for bait."),
  article("2024-09-14", "workshop", "Waxing a smock", "Do it in September and thank yourself in November."),
  article("2024-10-05", "river", "Grayling in low water", "The season for people who prefer to be alone."),
  article("2024-10-26", "sea", "Whiting by lamplight", "A still night, a flask, and a bite every cast."),
  article("2024-11-16", "people", "Forty years of the pier club", "The pier club met in our back room again."),
  article("2024-12-07", "kitchen", "Fish pie for eight", "Nobody has ever had a small portion of this."),
  article("2025-01-18", "workshop", "What is in our repair box", "Twelve things, none of them expensive."),
  article("2025-02-08", "sea", "Flounder in the estuary", "The mud is the price, the flounder the reward."),
  article("2025-03-01", "river", "Reading a river in spate", "Where the foam goes, the food goes."),
  article("2025-03-22", "people", "Why we closed on Mondays", "A shop needs a day to sweep."),
  article("2025-04-12", "workshop", "Cork grips, cleaned", "Washing-up liquid and a nail brush: that is all."),
  article("2025-05-03", "sea", "Smoothhound on the sandbar", "They fight like a bicycle going downhill."),
  article("2025-05-24", "river", "A day with a bamboo rod", "Slow in the hand, and that is the point."),
  article("2025-06-14", "kitchen", "Crab sandwiches", "White bread, brown meat, black pepper."),
  article("2025-07-05", "sea", "Night bass on needles", "No moon, no torch, no talking."),
  article("2025-07-26", "people", "The boatyard next door", "Where our lime wood comes from."),
  article("2025-08-16", "sea", "Mullet, patiently", "They can be caught. We have seen it."),
  article("2025-09-06", "workshop", "Splicing braid to leader", "A knot that goes through the rings like a whisper."),
  article("2025-09-27", "river", "Sea trout after rain", "Two nights in the year, and you must guess which."),
  article("2025-10-18", "kitchen", "Chowder for a gale", "Made while the windows rattled."),
  article("2025-11-08", "sea", "Reading the winter beach", "Walk it at low water with a notebook."),
  article("2025-12-06", "people", "What our customers lost this year", "Three phones, a tooth, and one oar."),
  article("2026-01-24", "workshop", "Building a travel rod", "Six pieces, nine evenings, one mistake."),
  article("2026-02-21", "river", "Winter chub on bread", "A loaf of white and numb fingers."),
  article("2026-03-21", "sea", "Plaice on the first warm tide", "Beads, as bright as you can bear."),
  article("2026-05-09", "people", "A new slipway for Port Ellory", "The council said yes, to general surprise."),
  article("2026-07-04", "kitchen", "Grilled bass with fennel", "Four ingredients, counting the fish."),
  article("2026-09-12", "sea", "Squid from the breakwater", "Bring an old coat; they have ink and aim."),
  article("2026-10-31", "workshop", "Putting the boat to bed", "What to drain, what to grease, what to leave."),
];
