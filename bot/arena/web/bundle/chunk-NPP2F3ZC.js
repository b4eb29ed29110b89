async function r(t){try{return await navigator.clipboard.writeText(t.value),!0}catch{return t.focus(),t.select(),!1}}export{r as a};
