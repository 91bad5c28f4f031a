/**
 * The properties that Google requires and recommends for rich results, by schema.org type
 * (https://developers.google.com/search/docs/appearance/structured-data/search-gallery). In a list of alternatives, one
 * is enough. Only properties of the thing itself are listed, not of the things it refers to. `RICH_RESULTS_CHECKED`
 * says when this was last checked.
 */

/** When this table was last compared, and with what. The audit reference says so too. */
export const RICH_RESULTS_CHECKED =
  "On 2026-11-18 and 19, AggregateRating, Breadcrumb, Event, JobPosting, Product, Recipe, Review and VideoObject were compared with version 1.7.1 of Adobe's " +
  "structured-data-validator, and Event, FAQPage, LocalBusiness and Recipe with version 0.2.0 of the crate schemaorg-validate, both written " +
  "after Google's documentation, and Dataset with the list quoted in DataBiosphere/data-browser#4808. Google's own pages could not be read in full, so the other types are not confirmed.";

interface Wanted {
  required: readonly (string | readonly string[])[];
  recommended: readonly (string | readonly string[])[];
}

const ARTICLE: Wanted = { required: [], recommended: ["author", "dateModified", "datePublished", "headline", "image"] };
const BUSINESS: Wanted = { required: ["address", "name"], recommended: ["telephone", "url"] };

export const RICH_RESULTS: Readonly<Record<string, Wanted>> = {
  AggregateRating: { required: ["itemReviewed", ["ratingCount", "reviewCount"], "ratingValue"], recommended: [] },
  Article: ARTICLE,
  NewsArticle: ARTICLE,
  BlogPosting: ARTICLE,
  BreadcrumbList: { required: ["itemListElement"], recommended: [] },
  Course: { required: ["description", "name"], recommended: ["provider"] },
  Dataset: { required: ["description", "name"], recommended: ["creator", "license"] },
  Event: {
    required: ["location", "name", "startDate"],
    recommended: ["description", "endDate", "eventStatus", "image", "offers", "organizer", "performer"],
  },
  ClaimReview: { required: ["claimReviewed", "reviewRating", "url"], recommended: ["author", "itemReviewed"] },
  DiscussionForumPosting: {
    required: ["author", "datePublished", ["text", "image", "video", "sharedContent"]],
    recommended: [],
  },
  FAQPage: { required: ["mainEntity"], recommended: [] },
  JobPosting: {
    required: [
      "datePosted",
      "description",
      "hiringOrganization",
      ["jobLocation", "applicantLocationRequirements"],
      "title",
    ],
    recommended: ["baseSalary", "directApply", "employmentType", "identifier", "validThrough"],
  },
  LocalBusiness: BUSINESS,
  Restaurant: BUSINESS,
  Store: BUSINESS,
  Movie: { required: ["image", "name"], recommended: ["aggregateRating", "dateCreated", "director", "review"] },
  Product: { required: ["name", ["review", "aggregateRating", "offers"]], recommended: ["image"] },
  ProfilePage: { required: ["mainEntity"], recommended: [] },
  QAPage: { required: ["mainEntity"], recommended: [] },
  Recipe: {
    required: ["image", "name"],
    recommended: [
      "aggregateRating",
      "author",
      "datePublished",
      "description",
      "keywords",
      "nutrition",
      "recipeCategory",
      "recipeCuisine",
      "recipeIngredient",
      "recipeInstructions",
      "recipeYield",
      ["totalTime", "cookTime", "prepTime"],
      "video",
    ],
  },
  Review: { required: ["author", "itemReviewed", "reviewRating"], recommended: ["datePublished"] },
  SoftwareApplication: {
    required: ["name", "offers", ["aggregateRating", "review"]],
    recommended: ["applicationCategory", "operatingSystem"],
  },
  VideoObject: {
    required: ["name", "thumbnailUrl", "uploadDate"],
    recommended: [["contentUrl", "embedUrl"], "description", "duration"],
  },
};
