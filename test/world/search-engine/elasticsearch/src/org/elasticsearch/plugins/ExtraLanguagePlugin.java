package org.elasticsearch.plugins;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.ar.ArabicNormalizationFilter;
import org.apache.lucene.analysis.ar.ArabicStemFilter;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.cjk.CJKWidthFilter;
import org.apache.lucene.analysis.de.GermanLightStemFilter;
import org.apache.lucene.analysis.de.GermanNormalizationFilter;
import org.apache.lucene.analysis.pattern.PatternTokenizer;
import org.elasticsearch.index.analysis.PreConfiguredTokenFilter;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;

/** The parts of the unpublished module analysis-common that the analyzer of Millrace needs. */
public class ExtraLanguagePlugin extends Plugin implements AnalysisPlugin {
    private static final Map<String, UnaryOperator<TokenStream>> STEMMERS =
        Map.of("arabic", ArabicStemFilter::new, "light_german", GermanLightStemFilter::new);

    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        return Map.of("stemmer", AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> {
            UnaryOperator<TokenStream> stemmer = STEMMERS.get(settings.get("language"));
            return new TokenFilterFactory() {
                @Override
                public String name() {
                    return name;
                }

                @Override
                public TokenStream create(TokenStream in) {
                    return stemmer.apply(in);
                }
            };
        }));
    }

    @Override
    public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
        return Map.of("pattern", AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> {
            Pattern pattern = Pattern.compile(settings.get("pattern"));
            int group = settings.getAsInt("group", -1);
            return TokenizerFactory.newFactory(name, () -> new PatternTokenizer(pattern, group));
        }));
    }

    @Override
    public List<PreConfiguredTokenFilter> getPreConfiguredTokenFilters() {
        return List.of(
            PreConfiguredTokenFilter.singleton("cjk_width", true, CJKWidthFilter::new),
            PreConfiguredTokenFilter.singleton("cjk_bigram", false, CJKBigramFilter::new),
            PreConfiguredTokenFilter.singleton("arabic_normalization", true, ArabicNormalizationFilter::new),
            PreConfiguredTokenFilter.singleton("german_normalization", true, GermanNormalizationFilter::new));
    }
}
