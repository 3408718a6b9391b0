export const repository = "https://github.com/sallyport/sallyport";
export const host = "https://sallyport.github.io";
/** The path of the landing page. */
export const base = "/sallyport/";
