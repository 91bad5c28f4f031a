/** The guides: six sections of six pages, each page three steps. */

export interface GuideSection {
  slug: string;
  name: string;
  about: string;
  /** Title, then the steps. */
  guides: readonly (readonly [string, string, string, string])[];
}

export const GUIDE_SECTIONS: readonly GuideSection[] = [
  {
    slug: "knots",
    name: "Knots",
    about: "Six knots, which is five more than most people need.",
    guides: [
      ["Improved clinch", "Pass the line through the eye.", "Turn it five times round itself.", "Tuck, wet and pull."],
      [
        "Palomar",
        "Double the line through the eye.",
        "Tie a loose overhand.",
        "Pass the hook through the loop and draw tight.",
      ],
      ["Uni knot", "Lay a loop along the shank.", "Wrap six times through it.", "Slide it home and trim."],
      ["Blood loop", "Twist a loop eight times.", "Open the middle turn.", "Push the loop through and close."],
      ["FG knot", "Keep the braid under tension.", "Weave the leader twelve times.", "Lock with half hitches."],
      ["Dropper loop", "Form a wide loop.", "Turn one side round the other.", "Pull the bight through the centre."],
    ],
  },
  {
    slug: "rigs",
    name: "Rigs",
    about: "What goes between the line and the fish.",
    guides: [
      ["Running ledger", "Thread a boom on the line.", "Add a bead and a swivel.", "Tie a trace as long as your arm."],
      [
        "Three hook flapper",
        "Cut two metres of body line.",
        "Crimp three snoods apart.",
        "Keep the snoods shorter than the gaps.",
      ],
      [
        "Pulley rig",
        "Use strong body line.",
        "Thread the pulley bead between two swivels.",
        "Let the fish lift the lead off the rock.",
      ],
      ["Pennell pair", "Tie the lower hook.", "Slide the upper hook above it.", "Fix it with silicone tube."],
      [
        "Float rig",
        "Set the depth with a stop knot.",
        "Balance the float with shot.",
        "Leave the top third above water.",
      ],
      ["Two fly cast", "Tie the heavier fly last.", "Leave ninety centimetres between.", "Trim the dropper short."],
    ],
  },
  {
    slug: "bait",
    name: "Bait",
    about: "How to find it, keep it and put it on.",
    guides: [
      ["Digging lugworm", "Go two hours before low water.", "Dig beside the cast, not on it.", "Fill the hole again."],
      ["Keeping peeler crab", "Damp weed, never water.", "A cool box, not a fridge.", "Check them every morning."],
      [
        "Freezing sand eels",
        "Freeze them flat and single.",
        "Label the bag with the date.",
        "Use within three months.",
      ],
      ["Bread flake", "Pinch it from a fresh loaf.", "Fold it over the shank.", "Leave the edge ragged."],
      ["Mackerel strips", "Cut at an angle.", "Leave skin on one side.", "Tie with bait elastic."],
      ["Casters and maggots", "Riddle them the night before.", "Keep them dry.", "Feed little and often."],
    ],
  },
  {
    slug: "casting",
    name: "Casting",
    about: "Further is nice; straight is better.",
    guides: [
      [
        "Overhead thump",
        "Feet apart, lead behind.",
        "Push with the right, pull with the left.",
        "Stop high and watch it go.",
      ],
      ["Off the ground", "Lay the lead on the beach.", "Turn the hips first.", "Let the rod unload late."],
      ["Roll cast", "Draw the line close.", "Lift slowly to the ear.", "Drive forward and stop."],
      ["Side cast", "Keep the rod level.", "Flick from the wrist.", "Feather the spool."],
      ["Casting a centrepin", "Hold the line from two rings.", "Swing the float out.", "Let go in order."],
      ["Casting in wind", "Go lower.", "Use a smaller bait.", "Cast between the gusts."],
    ],
  },
  {
    slug: "safety",
    name: "Safety",
    about: "Read this section before the others.",
    guides: [
      [
        "Tides and being cut off",
        "Know the time of low water.",
        "Look behind you every ten minutes.",
        "Leave before you must.",
      ],
      ["Wading", "Wear a belt.", "Shuffle; do not stride.", "Turn back at the thigh."],
      ["Hooks in fingers", "Push down on the eye.", "Loop a line round the bend.", "Pull quickly, along the skin."],
      ["Weever fish", "Hot water as soon as you can.", "Keep it hot for half an hour.", "See a doctor if it spreads."],
      ["Alone at night", "Tell somebody the place and the hour.", "Two lamps.", "Stay off the rocks."],
      ["Cold water", "Float first.", "Do not swim for the rod.", "Call the coastguard on 999."],
    ],
  },
  {
    slug: "upkeep",
    name: "Upkeep",
    about: "Ten minutes after each trip.",
    guides: [
      ["Rinsing tackle", "Tighten the drag first.", "Use a gentle spray.", "Dry it open, in the shade."],
      ["Storing rods", "Take the sections apart.", "Hang them, do not lean them.", "Keep them out of the attic."],
      ["Changing line", "Wet the spool knot.", "Wind under tension.", "Stop two millimetres from the lip."],
      ["Sharpening hooks", "Three strokes on each side.", "Away from the point.", "Test on a thumbnail."],
      ["Patching waders", "Turn them inside out.", "Mark the damp spot.", "Patch wider than the hole."],
      ["Winter service", "Strip the reel.", "Replace the washers.", "Write the date inside the cap."],
    ],
  },
];
